/** The kinds of stream; a stream's name is `{kind}-{id}`. */
export const streamKinds = [
  "document",
  "phoneLine",
  "account",
  "bulk",
  "delivery",
  "request",
  "notices",
  "heads",
] as const;
export type StreamKind = (typeof streamKinds)[number];

/** A stream's name. */
export const streamName = (kind: StreamKind, id: string): string => `${kind}-${id}`;

/** Reads a stream's name, or gives undefined when the stream is not one of Rubrica's. */
export const parseStreamName = (name: string): { kind: StreamKind; id: string } | undefined => {
  const dash = name.indexOf("-");
  const kind = streamKinds.find((candidate) => candidate === name.slice(0, dash));
  return kind && dash > 0 && name.length > dash + 1 ? { kind, id: name.slice(dash + 1) } : undefined;
};
