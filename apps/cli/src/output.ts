/** What a command found out or made, by name. */
export type Findings = Readonly<Record<string, string | number | boolean | null>>;

/** Findings for a program (one line of JSON) or for a person (a line each). */
export const textOf = (findings: Findings, json: boolean): string => {
  if (json) return JSON.stringify(findings);
  const width = Math.max(...Object.keys(findings).map(({ length }) => length));
  return Object.entries(findings)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n");
};
