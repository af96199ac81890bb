import { describe, expect, test } from "vitest";
import { catalogue, checkedForStoring, type DomainEvent, EventSchemaError, ipAddress, restored } from "../src/index.ts";

describe("a text that is to be an IP address", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::1", "::1"],
  ])("%s is kept as %s", (text, address) => {
    expect(ipAddress(text)).toBe(address);
  });

  test.each([
    ["nothing", ""],
    ["a name", "unknown"],
    ["free text", "203.0.113.7 (signed in person before a notary)"],
    ["leading zeros, octal to some", "010.0.0.1"],
    ["a number", "3405803783"],
    ["three parts", "203.0.113"],
    ["a network", "10.0.0.0/8"],
    ["a list", "203.0.113.7, 203.0.113.8"],
    ["much text", "1".repeat(9_000)],
    ["much text that begins like an address", `::${"0".repeat(9_000)}`],
  ])("is none when it is %s", (_what, text) => {
    expect(ipAddress(text)).toBeNull();
  });
});

const withOrigin = Object.values(catalogue)
  .flat()
  .filter(({ personal }) => personal !== null && "ip" in personal.shape && "userAgent" in personal.shape)
  .map((definition) => [definition.type, definition] as const);

/** Recorded before addresses were checked. */
const beforeChecks = withOrigin.filter(([, { upcasts }]) => 1 in upcasts);

describe.each(withOrigin)("%s", (type, { example }) => {
  const personal = (ip: unknown) => ({ ...(example.personal as object), ip });

  test("keeps an address or none", () => {
    for (const ip of ["203.0.113.7", null]) {
      const event = { type, data: example.data, personal: personal(ip) } as DomainEvent;
      expect(checkedForStoring(event).personal).toMatchObject({ ip });
    }
    const said = { type, data: example.data, personal: personal("on the moon") } as DomainEvent;
    expect(() => checkedForStoring(said)).toThrow(EventSchemaError);
  });
});

describe.each(beforeChecks)("%s", (type, { example }) => {
  const personal = (ip: unknown) => ({ ...(example.personal as object), ip });

  test("of version 1 is read without what is no address", () => {
    const read = (ip: string) => restored(type, { data: example.data, personal: personal(ip) }, 1).personal;
    expect(read("on the moon")).toMatchObject({ ...example.personal, ip: null });
    expect(read("::ffff:203.0.113.7")).toMatchObject({ ip: "203.0.113.7" });
    expect(restored(type, { data: example.data, personal: null }, 1).personal).toBeNull();
  });
});

test("seven kinds of events were recorded before addresses were checked", () => {
  expect(beforeChecks).toHaveLength(7);
});
