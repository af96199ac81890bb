import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  catalogue,
  checkedForStoring,
  type DomainEvent,
  defineEvent,
  EventSchemaError,
  restored,
  upcast,
} from "../src/index.ts";
import forms from "./forms.json" with { type: "json" };

const definitions = Object.values(catalogue).flat();

const HOW = `The form of an event changed. Where a release has written it, raise its \`version\` and add an upcaster, with an
example in former-versions.spec.ts; then write what was received into packages/events/test/forms.json.`;

/** As in `forms.json`: the version, and a hash of the form that an event has by it. */
const formOf = ({ version, data, personal, mayLackPersonal }: (typeof definitions)[number]): string => {
  const schemas = [data, personal].map((schema) => schema && z.toJSONSchema(schema, { unrepresentable: "any" }));
  const hash = createHash("sha256")
    .update(JSON.stringify([schemas, mayLackPersonal]))
    .digest("hex");
  return `${version} ${hash.slice(0, 16)}`;
};

test("an event whose form changes has another version", () => {
  expect(Object.fromEntries(definitions.map((one) => [one.type, formOf(one)])), HOW).toEqual(forms);
});

describe("every event of the catalogue", () => {
  test.each(definitions.map((definition) => [definition.type, definition] as const))(
    "%s: its example goes in and comes out",
    (_type, definition) => {
      const example = { type: definition.type, ...definition.example } as DomainEvent;
      const stored = JSON.parse(JSON.stringify(checkedForStoring(example)));
      expect(restored(definition.type, stored, definition.version)).toEqual(example);
    },
  );

  test.each(definitions.map((definition) => [definition.type, definition] as const))(
    "%s: an unknown field is refused",
    (_type, definition) => {
      const example = { type: definition.type, ...definition.example } as DomainEvent;
      const odd = { ...example, data: { ...example.data, surname: "Paz" } } as unknown as DomainEvent;
      expect(() => checkedForStoring(odd)).toThrow(EventSchemaError);
    },
  );

  test("stored names are unique over all streams", () => {
    const types = definitions.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
  });

  test("an event whose person was forgotten is read with personal null, but never stored so", () => {
    const definition = definitions.find(({ type }) => type === "Rejected");
    if (!definition) throw new Error("no Rejected");
    const forgotten = { data: definition.example.data, personal: null };
    expect(restored("Rejected", forgotten, 1)).toEqual({ type: "Rejected", ...forgotten });
    expect(() => checkedForStoring({ type: "Rejected", ...forgotten } as DomainEvent)).toThrow(/personal/);
  });

  test("an event that may lack its personal part is stored without one", () => {
    const data = { reason: "erasure", bulkId: null, by: null } as const;
    const bare = { type: "DocumentWithdrawn", data, personal: null } as const;
    expect(checkedForStoring(bare)).toEqual({ data, personal: null });
  });

  test("an error names fields and never values", () => {
    const odd = {
      type: "BusinessNameChanged",
      data: { businessName: 12345 },
      personal: null,
    } as unknown as DomainEvent;
    expect(() => checkedForStoring(odd)).toThrow("BusinessNameChanged does not fit its schema: data.businessName");
  });
});

describe("upcasting", () => {
  const Renamed = defineEvent({
    type: "Renamed",
    version: 3,
    data: z.strictObject({ fullName: z.string(), source: z.string() }),
    personal: null,
    upcasts: {
      1: ({ data, personal }) => ({ data: { fullName: data.name }, personal }),
      2: ({ data, personal }) => ({ data: { ...data, source: "unknown" }, personal }),
    },
    example: { data: { fullName: "a", source: "b" }, personal: null },
  });

  test("goes through each version in turn", () => {
    expect(upcast(Renamed, { data: { name: "Ana" }, personal: null }, 1).data).toEqual({
      fullName: "Ana",
      source: "unknown",
    });
    expect(upcast(Renamed, { data: { fullName: "Ana" }, personal: null }, 2).data).toEqual({
      fullName: "Ana",
      source: "unknown",
    });
  });

  test("leaves the current version as it is", () => {
    const content = { data: { fullName: "Ana", source: "form" }, personal: null };
    expect(upcast(Renamed, content, 3)).toBe(content);
  });

  test("refuses a version of the future", () => {
    expect(() => upcast(Renamed, { data: {}, personal: null }, 4)).toThrow(EventSchemaError);
  });

  test("a version without its upcaster can't be defined", () => {
    expect(() =>
      defineEvent({
        type: "Odd",
        version: 2,
        data: z.strictObject({}),
        personal: null,
        example: { data: {}, personal: null },
      }),
    ).toThrow(/upcaster/);
  });
});
