import { describe, expect, test } from "vitest";
import { parseEventStoreDbUrl } from "../../src/eventstoredb/url.ts";
import { openEventStoreDbAt } from "../helpers/eventstoredb.ts";

const errorOf = (work: () => unknown): Error => {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it was taken");
};

describe("the URL of EventStoreDB", () => {
  test.each([
    ["esdb://localhost", { kind: "single", tls: true, hosts: [{ address: "localhost", port: 2113 }] }],
    ["esdb://a:1,b:2/?tls=false", { kind: "members", tls: false, hosts: [{ port: 1 }, { port: 2 }] }],
    ["esdb+discover://cluster.example", { kind: "discover", hosts: [{ address: "cluster.example" }] }],
    ["esdb://u%3A:p%40w@h", { credentials: { username: "u:", password: "p@w" }, hosts: [{ address: "h" }] }],
    ["esdb://h?TLS=false&keep_alive-interval=5000", { options: { tls: "false", keepAliveInterval: "5000" } }],
  ])("may be %s", (url, expected) => {
    expect(parseEventStoreDbUrl(url)).toMatchObject(expected);
  });

  test.each([
    "http://user:secret-word@host",
    "esdb://user:secret-word@",
    "esdb://user:secret-word@host:99999",
    "esdb://user:secret-word@host:1:2",
    "esdb://user:secret-word%@host",
    "esdb://user:secret-word@host?tlsVerifyCert=false",
    "esdb://host?secret-word=1",
    "esdb://user:secret-word@host?tls=perhaps",
    "esdb://user:secret-word@host?keepAliveInterval=often",
    "esdb://user:secret-word@a,b?nodePreference=nearest",
    "esdb://user:secret-word@host?tlsCAFile=/nowhere/secret-word.pem",
    "esdb://user:secret-word@host?userKeyFile=/nowhere/secret-word.pem",
  ])("may not be %s, which no error repeats", (url) => {
    const error = errorOf(() => openEventStoreDbAt(url));
    expect(error).toMatchObject({ name: "EventStoreDbError", failure: "bad_url" });
    expect(JSON.stringify([error, error.message, error.stack?.split("\n    at")[0]])).not.toContain("secret-word");
  });
});
