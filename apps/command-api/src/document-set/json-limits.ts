const MAX_DEPTH = 32;

/**
 * Why a value can't be kept as an integrator's own parameters, or undefined when it can. The depth is taken without
 * recursion and comes first: what is nested deeper than the stack allows must not be stringified.
 */
export const jsonFault = (value: unknown, maxBytes: number): string | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be an object";
  if (!isShallow(value)) return `must not be nested deeper than ${MAX_DEPTH}`;
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) return `must have at most ${maxBytes} bytes as JSON`;
  return undefined;
};

const isShallow = (root: object): boolean => {
  let level: object[] = [root];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    level = level.flatMap((parent) =>
      Object.values(parent).filter((child): child is object => typeof child === "object" && child !== null),
    );
    if (level.length === 0) return true;
  }
  return false;
};
