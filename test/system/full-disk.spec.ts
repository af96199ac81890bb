import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  eventually,
  noteWarningsIn,
  rubricaClient,
  samplePdf,
  sampleSigner,
  startOf,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { canMount, mounted } from "../support/mounts.ts";

const CLI = startOf("cli");
const FULL = "it can't be written: no space is left on its disk";

if (!canMount) console.warn("skipped: a disk of its own takes root and unshare");

test.skipIf(!canMount)(
  "a disk that is full costs answers, and nothing that was answered; with room again all goes on",
  async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    mkdirSync(dataDir);
    await using service = await startServiceProcess({ dataDir, under: mounted(dataDir, "size=24m") });
    const client = rubricaClient(service);
    /** Runs a program where the service's disk is. */
    const beside = (program: string, ...args: string[]) =>
      spawnSync("nsenter", ["--target", String(service.pid), "--mount", program, ...args], {
        env: { PATH: process.env.PATH, DATA_DIR: dataDir },
        encoding: "utf8",
      });
    const filler = join(dataDir, "filler");
    /** Takes what room there is: a file that the service removed may have left some. */
    const fill = () => beside("dd", "if=/dev/zero", `of=${filler}`, "bs=4k", "oflag=append", "conv=notrunc");
    const pdf = await samplePdf();
    const before = await client.requestDocument(pdf, [sampleSigner(1)]);
    expect((await client.readiness()).json()).toEqual({ status: "ready" });

    // What follows of these, messages and notices, is in the middle of it when the disk is full.
    for (let number = 30; number < 35; number++) await client.requestDocument(pdf, [sampleSigner(number)]);
    const [asked] = await eventually("the signer to be asked", async () => {
      const messages = await client.messagesTo(sampleSigner(1).phone);
      return messages.length > 0 && messages;
    });
    await client.press(asked?.id ?? "", "continue");
    fill();
    const answered: string[] = [];
    let refused = 0;
    for (let number = 2; number < 12; number++) {
      const { status, text } = await client.postDocument(pdf, [sampleSigner(number)]);
      if (status === 200) answered.push(JSON.parse(text).id_seguimiento);
      else {
        // As the contract has it: no other answer tells an integrator to try again.
        expect([status, text]).toEqual([500, '{"error":"Internal Server Error"}']);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(0);
    const signed = await client.postSignature(before.urls[0]?.link ?? "");
    expect([200, 500]).toContain(signed.status);
    // The two are told apart, each from a check of the last second: one alone may be named first, or another part.
    await eventually("/readyz to say so", async () => {
      fill();
      const { status, reasons } = (await client.readiness()).json<{
        status: string;
        reasons?: Record<string, string>;
      }>();
      return status === "not ready" && reasons?.["data folder"] === FULL && reasons["file store"] === FULL;
    });
    expect((await client.send("GET", "/livez")).status).toBe(200);
    const read = await client.send("GET", `/api/v2/signatureStatus/${before.id_seguimiento}`);
    if (read.status === 200) expect(read.json()).toMatchObject({ is_finished: signed.status === 200 });
    else {
      // An event found room that its projection does not: nobody is told less than there is, and it is said who is behind.
      expect([read.status, read.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
      await eventually("the projector to say why", async () => {
        const { reasons } = (await client.readiness()).json<{ reasons?: Record<string, string> }>();
        return reasons?.projector?.includes("stopped: no space is left on its disk");
      });
    }

    beside("rm", filler);
    await eventually("/readyz to be ready", async () => (await client.readiness()).status === 200);
    if (signed.status !== 200) await client.sign(before.urls[0]?.link ?? "");
    const after = await client.requestDocument(pdf, [sampleSigner(20)]);
    await client.sign(after.urls[0]?.link ?? "");
    for (const id of [before.id_seguimiento, after.id_seguimiento]) {
      await eventually("the sealed PDF", async () => (await client.read(`/api/v2/documents/${id}`)).status === 200);
    }
    for (const id of answered) expect(await client.status(id)).toEqual({ is_finished: false, signed_at: null });
    const audit = beside(process.execPath, ...CLI, "audit", "verify");
    noteWarningsIn("rubrica", audit.stderr);
    expect(audit.stdout).toMatch(/every chain holds\.$/m);
  },
);
