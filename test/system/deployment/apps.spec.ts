import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  eventually,
  freePort,
  type RubricaClient,
  rubricaClient,
  samplePdf,
  sampleSigner,
  temporaryFolder,
  toolsMissing,
  UNLIMITED,
} from "@rubrica/test-kit";
import { hasMongo, hasNatsServer, startEventStoreDb, startMongo, startNatsServer } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appOf, composeWith, someEnvironment } from "./compose.ts";
import { type Container, type ImageUser, type Surroundings, startContainer } from "./containers.ts";
import { ownAddresses, type ProxyProcess, startProxy } from "./proxy.ts";
import { startTlsFront } from "./tls-front.ts";

/** As the image has them. */
const [SERVICE, HELPERS] = [10_001, 10_002];
const PASSPHRASE = someEnvironment.SIGNING_CERTIFICATE_PASSPHRASE ?? "";
const SIMULATOR_KEY = "a-simulators-key-of-a-test";

const cleanup = new AsyncDisposableStack();
const folder = cleanup.use(temporaryFolder());
afterAll(() => cleanup.disposeAsync());

/** The image's user, Node and launcher, where this is root, and both users can read what lies here. */
const imageUser = (): (ImageUser & { launcher: string }) | undefined => {
  if (process.getuid?.() !== 0 || toolsMissing("setpriv")) return undefined;
  chmodSync(folder.path, 0o755);
  const launcher = join(folder.path, "as-helpers");
  copyFileSync("/usr/bin/setpriv", launcher);
  chownSync(launcher, HELPERS, HELPERS);
  chmodSync(launcher, 0o6755);
  const node = join(folder.path, "node");
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o711);
  const ids = ["--reuid", `${SERVICE}`, "--regid", `${SERVICE}`, "--clear-groups"];
  // `env` has no capability any more, as whatever starts a program in a container; setpriv itself still has.
  const under = ["setpriv", ...ids, "--inh-caps=-all", "--bounding-set=-all", "--", "env"];
  const helper = [launcher, "--reuid", `${HELPERS}`, "--regid", `${HELPERS}`, "--keep-groups", "--", node];
  const [program = "", ...args] = [...under, ...helper, "--check", import.meta.filename];
  return spawnSync(program, args, { stdio: "ignore" }).status === 0
    ? { uid: SERVICE, under, node, launcher }
    : undefined;
};

/** A certificate that seals, in a PKCS #12 file that the service alone can read. */
const certificate = (owner: number | undefined): string => {
  const [key, pem, p12] = ["seal.key", "seal.pem", "seal.p12"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-subj",
    "/CN=Seal",
    "-days",
    "30",
    "-keyout",
    key,
    "-out",
    pem,
  );
  openssl("pkcs12", "-export", "-inkey", key, "-in", pem, "-passout", `pass:${PASSPHRASE}`, "-out", p12);
  if (owner !== undefined) chownSync(p12, owner, owner);
  chmodSync(p12, 0o400);
  return p12;
};

/** The users of the processes that these started and that say that they are helpers. */
const usersOfHelpers = (parents: readonly number[]): number[] =>
  globSync("/proc/[0-9]*/status").flatMap((path) => {
    try {
      const [, parent] = /^PPid:\s+(\d+)/m.exec(readFileSync(path, "latin1")) ?? [];
      if (!parents.includes(Number(parent))) return [];
      if (!readFileSync(path.replace(/status$/, "cmdline"), "latin1").startsWith("rubrica: ")) return [];
      const [, uid] = /^Uid:\s+(\d+)/m.exec(readFileSync(path, "latin1")) ?? [];
      return [Number(uid)];
    } catch {
      // It has just ended.
      return [];
    }
  });

const skipped = process.platform !== "linux" || toolsMissing("caddy", "openssl") || !hasMongo() || !hasNatsServer();

describe.skipIf(skipped)("docker-compose.yml's apps, as processes on engines", () => {
  const containers: Container[] = [];
  const user = imageUser();
  let proxy: ProxyProcess;
  let url: string;
  let client: RubricaClient;

  const start = async (): Promise<void> => {
    url = `http://localhost:${await freePort()}`;
    const [events, mongo, bus] = await Promise.all([startEventStoreDb(), startMongo(), startNatsServer()]);
    for (const engine of [events, mongo, bus]) cleanup.use(engine);
    const { services } = composeWith({ ...someEnvironment, ...UNLIMITED, PUBLIC_URL: url, SIMULATOR_KEY });
    const certificates = join(folder.path, "certificates");
    const tls = cleanup.use(await startTlsFront(certificates, Number(new URL(events.url).port)));
    // With its password and its authority, by which the client takes other ways than without.
    const eventStoreUrl = (services["command-api"]?.environment?.EVENTSTORE_URL ?? "")
      .replace("@eventstoredb:2113", `@localhost:${tls.port}`)
      .replace("/certificates/", `${certificates}/`);
    const next = await ownAddresses();
    const all = Object.entries(services).filter(([name, service]) => appOf(service) && name !== "rubrica");
    const addresses = new Map(
      all.map(([name, { deploy }]) => [name, Array.from({ length: deploy?.replicas ?? 1 }, next)]),
    );
    const surroundings: Surroundings = {
      instead: {
        EVENTSTORE_URL: eventStoreUrl,
        MONGODB_URL: mongo.newDatabase(),
        NATS_URL: bus.url,
        SIGNING_CERTIFICATE_P12: certificate(user?.uid),
        HELPERS_LAUNCHER: user?.launcher ?? "",
      },
      addresses,
      user,
    };
    for (const [name, service] of all)
      for (const address of addresses.get(name) ?? [])
        containers.push(cleanup.use(startContainer(name, service, address, surroundings)));
    proxy = cleanup.use(await startProxy(addresses, url));
    const { rubrica } = services;
    if (!rubrica) throw new Error("no command line");
    const command = ["account", "create", "--name", "ACME", "--plan", "pro", "--credits", "10", "--json"];
    await using cli = startContainer("rubrica", { ...rubrica, command }, "127.0.0.1", surroundings);
    expect([await cli.ended, cli.output()]).toEqual([0, expect.stringContaining("api_key")]);
    const { api_key: apiKey } = JSON.parse(cli.output());
    client = rubricaClient({ url, apiKey, simulatorKey: SIMULATOR_KEY });
  };
  beforeAll(start);

  test("each becomes ready, and healthy by the image's own check", async () => {
    expect(containers).toHaveLength(11);
    for (const container of containers) {
      await eventually(`${container.name} to be ready`, async () => (await container.readiness())?.status === 200);
      expect([container.name, await container.isHealthy()]).toEqual([container.name, true]);
    }
  });

  test("a document goes its way through the proxy: asked for, answered on a phone, signed, sealed, reported, checked", async () => {
    const signer = sampleSigner(1);
    const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [signer]);
    expect(urls[0]?.link).toMatch(new RegExp(`^${url}/s/`));
    const phone = signer.phone.replace(/\D/g, "");
    const asked = await eventually("the question", async () => (await client.messagesTo(phone))[0]);
    await client.press(asked.id, "continue");
    const { link } = await eventually("the link", async () => (await client.messagesTo(phone)).find((one) => one.link));
    if (link === null) throw new Error("no link");
    const page = await client.read(new URL(link).pathname);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("<title>Firma electrónica</title>")]);
    await client.sign(link);
    const sealed = await eventually("the sealed PDF", async () => {
      const { status, bytes } = await client.read(`/api/v2/documents/${id}`);
      return status === 200 && bytes;
    });
    expect(await client.status(id)).toMatchObject({ is_finished: true });
    const report = await client.read(`/api/v2/reporte/${id}`);
    expect([report.status, report.text.slice(0, 5)]).toEqual([200, "%PDF-"]);
    const checked = await client.send("POST", "/api/verify", sealed, { "content-type": "application/pdf" });
    expect(checked.json()).toMatchObject({ verdict: "valid", document: { id_seguimiento: id, chain_intact: true } });
  });

  test.skipIf(user === undefined)("whatever read what others sent is the helpers' user's, and no app is", () => {
    const users = usersOfHelpers(containers.map(({ pid }) => pid));
    expect(users.length).toBeGreaterThan(3);
    expect(new Set(users)).toEqual(new Set([HELPERS]));
    for (const { pid } of containers)
      expect(readFileSync(`/proc/${pid}/status`, "latin1")).toMatch(new RegExp(`^Uid:\\s+${SERVICE}\\s`, "m"));
  });

  test.skipIf(user === undefined)(
    "what an app has in memory, no other program of its user reads, as the office program",
    () => {
      const [program = "", ...under] = user?.under ?? [];
      for (const { pid } of containers) {
        for (const file of ["environ", "maps"])
          expect(spawnSync(program, [...under, "cat", `/proc/${pid}/${file}`], { stdio: "ignore" }).status).toBe(1);
      }
    },
  );

  test("nothing of it is in the proxy's log, nor any password in an app's", () => {
    expect(proxy.log()).not.toMatch(/\/s\/|rk_/);
    for (const { output } of containers) expect(output()).not.toContain(PASSPHRASE);
  });

  test("each ends when it is asked to, its work done", async () => {
    const codes = await Promise.all(containers.map(async (container) => [container.name, await container.stop()]));
    expect(codes.filter(([, code]) => code !== 0)).toEqual([]);
  });
});
