/** What a command found out or made, by name. */
export type Fields = Readonly<Record<string, string | number | boolean | null>>;

/** Fields for a program (one line of JSON) or for a person (a line each). */
export const textOf = (fields: Fields, json: boolean): string => {
  if (json) return JSON.stringify(fields);
  const width = Math.max(...Object.keys(fields).map(({ length }) => length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n");
};
