import { describe, expect, test } from "vitest";
import { addressOf, type HttpServerOptions } from "../src/index.ts";
import { loggedServer } from "./support.ts";

/** What address is seen of a request whose connection comes from 127.0.0.1. */
const seen = async (trustProxy: HttpServerOptions["trustProxy"], forwardedFor: string): Promise<string | null> => {
  const { app } = loggedServer({ trustProxy: trustProxy ?? false });
  app.get("/", async (request) => ({ address: addressOf(request) }));
  return (await app.inject({ url: "/", headers: { "x-forwarded-for": forwardedFor } })).json().address;
};

describe("a client's address", () => {
  test("is the connection's where no proxy is believed", async () => {
    expect(await seen(false, "203.0.113.7")).toBe("127.0.0.1");
  });

  test("is what the last of the counted proxies saw, whatever the client wrote to its left", async () => {
    expect(await seen(1, "198.51.100.9, 203.0.113.7")).toBe("203.0.113.7");
    expect(await seen(2, "198.51.100.9, 203.0.113.7, 10.0.0.2")).toBe("203.0.113.7");
  });

  test("is what the leftmost of the named proxies saw", async () => {
    const forwardedFor = "198.51.100.9, 203.0.113.7, 10.1.2.3";
    expect(await seen(["127.0.0.1", "10.0.0.0/8"], forwardedFor)).toBe("203.0.113.7");
    expect(await seen(["127.0.0.1"], forwardedFor)).toBe("10.1.2.3");
    expect(await seen(["192.0.2.1"], forwardedFor)).toBe("127.0.0.1");
  });

  test.each([
    ["203.0.113.7:4711", "203.0.113.7"],
    ["[2001:DB8::7]:4711", "2001:db8::7"],
    ["[2001:db8::7]", "2001:db8::7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
  ])("is %s without what proxies write beside it", async (forwardedFor, address) => {
    expect(await seen(1, forwardedFor)).toBe(address);
  });

  test.each([
    ["unknown"],
    ["_hidden"],
    ["signed in person before a notary"],
    ["x".repeat(9_000)],
    [`[${"1".repeat(9_000)}]:80`],
  ])("is none when a proxy tells something else (%#)", async (forwardedFor) => {
    expect(await seen(1, forwardedFor)).toBeNull();
  });
});
