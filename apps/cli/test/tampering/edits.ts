import { type Line, rehashed, renumbered } from "./log.ts";

/** Gives a whole number below its argument. */
export type Pick = (below: number) => number;

/** What whoever can write to the log alone makes of its events. */
export type Edit = (lines: readonly Line[], pick: Pick) => Line[];

const without = (lines: readonly Line[], index: number): Line[] => lines.toSpliced(index, 1);
const anyOf = (lines: readonly Line[], pick: (below: number) => number): Line => lines[pick(lines.length)] as Line;

const changed = (line: Line, pick: (below: number) => number): Line => {
  const at = new Date(Date.parse(String(line.metadata.at)) + 1 + pick(1_000_000)).toISOString();
  switch (pick(4)) {
    case 0:
      return { ...line, data: { ...line.data, note: `n${pick(1_000)}` } };
    case 1:
      return { ...line, metadata: { ...line.metadata, actor: `a${pick(1_000)}` } };
    case 2:
      return { ...line, type: line.type === "PlanChanged" ? "BusinessNameChanged" : "PlanChanged" };
    default:
      return { ...line, metadata: { ...line.metadata, at } };
  }
};

const consistent = (lines: readonly Line[], ...streams: string[]): Line[] =>
  renumbered(streams.reduce<readonly Line[]>(rehashed, lines));

/** Each kind by its name. */
export const edits: Readonly<Record<string, Edit>> = {
  "its end dropped": (lines, pick) => lines.slice(0, 1 + pick(lines.length - 1)),
  "an event dropped": (lines, pick) => without(lines, pick(lines.length)),
  "an event dropped, and all computed anew": (lines, pick) => {
    const index = pick(lines.length);
    return consistent(without(lines, index), lines[index]?.stream ?? "");
  },
  "a stream dropped, and all computed anew": (lines, pick) => {
    const { stream } = anyOf(lines, pick);
    return consistent(lines.filter((line) => line.stream !== stream));
  },
  "the end of a stream dropped, and all computed anew": (lines, pick) => {
    const { stream, revision } = anyOf(lines, pick);
    return consistent(lines.filter((line) => line.stream !== stream || line.revision < revision));
  },
  "two events swapped": (lines, pick) => {
    const [one, other] = [pick(lines.length - 1), 1 + pick(lines.length - 1)];
    const second = other <= one ? one + 1 : other;
    return lines.with(one, lines[second] as Line).with(second, lines[one] as Line);
  },
  "two events swapped, and all computed anew": (lines, pick) => {
    const one = pick(lines.length - 1);
    const second = one + 1 + pick(lines.length - one - 1);
    const [first, last] = [lines[one] as Line, lines[second] as Line];
    return consistent(lines.with(one, last).with(second, first), first.stream, last.stream);
  },
  "an event doubled": (lines, pick) => {
    const index = pick(lines.length);
    return lines.toSpliced(index, 0, lines[index] as Line);
  },
  "an event doubled, and all computed anew": (lines, pick) => {
    const index = pick(lines.length);
    const line = lines[index] as Line;
    return consistent(lines.toSpliced(index, 0, line), line.stream);
  },
  "an event changed": (lines, pick) => {
    const index = pick(lines.length);
    return lines.with(index, changed(lines[index] as Line, pick));
  },
  "an event changed, and all computed anew": (lines, pick) => {
    const index = pick(lines.length);
    const line = lines[index] as Line;
    return consistent(lines.with(index, changed(line, pick)), line.stream);
  },
  "a stream by another name, and all computed anew": (lines, pick) => {
    const { stream } = anyOf(lines, pick);
    const name = `account-x${pick(1_000)}`;
    return consistent(
      lines.map((line) => (line.stream === stream ? { ...line, stream: name } : line)),
      name,
    );
  },
  "a stream of no known kind added, and all computed anew": (lines, pick) => {
    const { stream } = anyOf(lines, pick);
    const name = stream.replace("-", "_");
    const added = lines.filter((line) => line.stream === stream).map((line) => ({ ...line, stream: name }));
    return consistent(lines.toSpliced(pick(lines.length), 0, ...added), name);
  },
};
