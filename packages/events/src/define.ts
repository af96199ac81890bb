import type { z } from "zod";

/** An event's content before it is checked: what an upcaster takes and gives. */
export interface EventContent {
  data: Record<string, unknown>;
  /** Null when the event has nothing personal, or the owner's key was destroyed. */
  personal: Record<string, unknown> | null;
}

/** One kind of event: its stored name, current schema version, schemas and an example. */
export interface EventDefinition<
  Type extends string = string,
  Data extends z.ZodObject = z.ZodObject,
  Personal extends z.ZodObject | null = z.ZodObject | null,
> {
  type: Type;
  /** Current schema version, counting from 1. */
  version: number;
  /** Names no person. */
  data: Data;
  /** Names, ID numbers, phones, IPs, texts that people wrote; stored encrypted with the owner's key. */
  personal: Personal;
  /** It may be stored without a personal part: not every event of its kind has one. */
  mayLackPersonal: boolean;
  /** Brings content of version `n` (the key) to version `n + 1`. */
  upcasts: Readonly<Record<number, (content: EventContent) => EventContent>>;
  example: { data: z.infer<Data>; personal: Personal extends z.ZodObject ? z.infer<Personal> : null };
}

/** The domain's form of an event of a definition. `personal` is null where there is none, or where it was forgotten. */
export type EventOf<D extends EventDefinition> =
  D extends EventDefinition<infer Type, infer Data, infer Personal>
    ? {
        type: Type;
        data: z.infer<Data>;
        personal: Personal extends z.ZodObject ? z.infer<Personal> | null : null;
      }
    : never;

/** Defines an event. Version 1 unless said; each former version needs its upcaster. */
export const defineEvent = <
  Type extends string,
  Data extends z.ZodObject,
  Personal extends z.ZodObject | null,
>(definition: {
  type: Type;
  version?: number;
  data: Data;
  personal: Personal;
  mayLackPersonal?: boolean;
  upcasts?: Readonly<Record<number, (content: EventContent) => EventContent>>;
  example: { data: z.infer<Data>; personal: Personal extends z.ZodObject ? z.infer<Personal> : null };
}): EventDefinition<Type, Data, Personal> => {
  const version = definition.version ?? 1;
  const upcasts = definition.upcasts ?? {};
  for (let from = 1; from < version; from++) {
    if (!upcasts[from]) throw new Error(`${definition.type} has no upcaster from version ${from}`);
  }
  return { ...definition, version, upcasts, mayLackPersonal: definition.mayLackPersonal ?? false };
};
