/** What an entry of an object or an array takes beside its value, and a value beside its characters, in bytes. */
const ENTRY_BYTES = 64;
const VALUE_BYTES = 32;

/**
 * About how much memory plain data takes, in bytes: to bound what is kept of it by more than a count. Goes through all of
 * it, without recursion.
 */
export const weightOf = (data: unknown): number => {
  const left: unknown[] = [data];
  let bytes = 0;
  while (left.length > 0) {
    const value = left.pop();
    bytes += VALUE_BYTES;
    if (typeof value === "string") bytes += value.length;
    if (typeof value !== "object" || value === null) continue;
    const values = Array.isArray(value) ? value : Object.values(value);
    bytes += ENTRY_BYTES * values.length;
    for (const one of values) left.push(one);
  }
  return bytes;
};
