import type { z } from "zod";

/** What may be left out may also be null. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);
