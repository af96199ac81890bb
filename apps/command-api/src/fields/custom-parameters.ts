import { z } from "zod";

const MAX_DEPTH = 32;

/**
 * Why a value can't be kept as an integrator's own parameters, or undefined when it can. The depth is taken without
 * recursion and comes first: what is nested deeper than the stack allows must not be stringified.
 */
const jsonFault = (value: object, maxBytes: number): string | undefined => {
  const leaves = leavesOf(value);
  if (!leaves) return `must not be nested deeper than ${MAX_DEPTH}`;
  // JSON has no such numbers, but its parser makes them of 1e999.
  if (leaves.some((leaf) => typeof leaf === "number" && !Number.isFinite(leaf))) return "must hold finite numbers";
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) return `must have at most ${maxBytes} bytes as JSON`;
  return undefined;
};

/** All values in an object that are no objects, or undefined when it is nested too deep. */
const leavesOf = (root: object): unknown[] | undefined => {
  const leaves: unknown[] = [];
  let level: object[] = [root];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const below: object[] = [];
    for (const parent of level) {
      for (const child of Object.values(parent)) {
        if (typeof child === "object" && child !== null) below.push(child);
        else leaves.push(child);
      }
    }
    if (below.length === 0) return leaves;
    level = below;
  }
  return undefined;
};

/** It was parsed from JSON. */
const Json = z.unknown() as z.ZodType<z.core.util.JSONType>;

/** An integrator's own parameters: what comes back in webhooks. */
export const customParameters = (maxBytes: number) =>
  z.record(z.string(), Json).superRefine((value, context) => {
    const fault = jsonFault(value, maxBytes);
    if (fault) context.addIssue({ code: "custom", message: fault });
  });
