import { createSocket } from "node:dgram";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { temporaryFolder } from "@rubrica/test-kit";
import { startNameServer } from "@rubrica/test-kit/deployment";
import { expect, test } from "vitest";
import { createNameResolver } from "../src/index.ts";

/** A name server that is asked and says nothing. */
const openSilence = async () => {
  const socket = createSocket("udp4");
  let asked = 0;
  socket.on("message", () => {
    asked += 1;
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
};

const noHosts = { hostsFile: "/dev/null" };

test("a name's addresses are those that its name server tells", async () => {
  await using names = await startNameServer(new Map([["hooks.example", ["192.0.2.1", "192.0.2.2"]]]));
  const resolve = createNameResolver({ servers: [`127.0.0.1:${names.port}`], ...noHosts });
  expect(await resolve("Hooks.Example.")).toEqual([
    { address: "192.0.2.1", family: 4 },
    { address: "192.0.2.2", family: 4 },
  ]);
  await expect(resolve("nobody.example")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("what the hosts file knows is asked of nobody, nor is the machine itself", async () => {
  await using silence = await openSilence();
  using folder = temporaryFolder();
  const hostsFile = `${folder.path}/hosts`;
  writeFileSync(hostsFile, "# 192.0.2.9 inner\n192.0.2.7\tinner Inner.example # ours\n2001:db8::7 inner\n");
  const resolve = createNameResolver({ servers: [silence.server], hostsFile });
  expect(await resolve("inner")).toEqual([
    { address: "192.0.2.7", family: 4 },
    { address: "2001:db8::7", family: 6 },
  ]);
  expect(await resolve("inner.example")).toEqual([{ address: "192.0.2.7", family: 4 }]);
  expect(await resolve("localhost")).toContainEqual({ address: "127.0.0.1", family: 4 });
  expect(silence.asked()).toBe(0);
});

test("names that nobody answers for hold up neither other names nor the reading of files", async () => {
  await using silence = await openSilence();
  await using names = await startNameServer(new Map([["hooks.example", ["192.0.2.1"]]]));
  const silent = createNameResolver({ servers: [silence.server], ...noHosts });
  let given = 0;
  const asking = Array.from({ length: 100 }, (_, number) =>
    silent(`host-${number}.example`).catch(() => {
      given += 1;
    }),
  );
  await expect.poll(silence.asked).toBeGreaterThanOrEqual(200);
  const resolve = createNameResolver({ servers: [`127.0.0.1:${names.port}`], ...noHosts });
  expect(await resolve("hooks.example")).toHaveLength(1);
  expect(await readFile(import.meta.filename, "utf8")).toContain("hold up neither");
  expect(given).toBe(0);
  await Promise.all(asking);
  expect(given).toBe(100);
});
