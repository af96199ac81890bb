import { eventually, type RubricaClient, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { type AppProcess, hasEngines, skipUnlessStopped } from "@rubrica/test-kit/deployment";
import type { EngineProcess } from "@rubrica/test-kit/engines";
import { describe, expect, test } from "vitest";
import { inManyProcesses } from "../../support/place.ts";
import { endToEnd } from "./suite.ts";

const NO_ANSWER = "it does not answer";
const UNKNOWN_ID = "019aa5c0-0000-7000-8000-0000000000d1";

describe.skipIf(!hasEngines())("each app as processes of its own", () => {
  const place = endToEnd(inManyProcesses);

  /** Whether it says that it is the projector that works. */
  const works = (projector: AppProcess): boolean =>
    projector.log().lastIndexOf("this projector works") > projector.log().lastIndexOf("does not work any more");
  const oneWorks = (...projectors: readonly AppProcess[]): Promise<AppProcess> =>
    eventually("one projector to work", () => {
      const working = projectors.filter(works);
      return working.length === 1 && working[0];
    });

  let signers = 500_000;
  /** That a document is requested, and seen at once; asked again while whoever projects changes. */
  const isProjected = async (): Promise<void> => {
    const { client } = place();
    const { id_seguimiento } = await client.requestDocument(await samplePdf(), [sampleSigner(++signers)]);
    const path = `/api/v2/signatureStatus/${id_seguimiento}`;
    await eventually("the document to be seen", async () => {
      const { status } = await client.send("GET", path);
      expect([200, 503]).toContain(status);
      return status === 200;
    });
  };

  test("of two projectors one works; the other takes over when it ends, and when it stands still", async () => {
    const [one, two] = place().deployment.processesOf("projector") as [AppProcess, AppProcess];
    const first = await oneWorks(one, two);
    const other = first === one ? two : one;
    expect(await first.end()).toEqual({ code: 0, signal: null });
    expect(await oneWorks(other)).toBe(other);
    await isProjected();
    await first.start();

    await other.silence();
    expect(await oneWorks(first)).toBe(first);
    await isProjected();
    other.signal("SIGCONT");
    expect(await oneWorks(first, other)).toBe(first);
    await place().deployment.ready();
    await isProjected();
  });

  /** The engines that each app asks. */
  const asked: Readonly<Record<string, readonly string[]>> = {
    "command-api": ["EventStoreDB", "MongoDB"],
    "query-api": ["EventStoreDB", "MongoDB"],
    projector: ["EventStoreDB", "MongoDB", "NATS"],
    subscribers: ["EventStoreDB", "MongoDB", "NATS"],
    "verify-web": ["EventStoreDB", "MongoDB"],
    "signing-web": [],
    simulator: [],
  };
  const named = (app: AppProcess, engine: string): Promise<true> =>
    eventually(`${app.name} to name ${engine}`, async () => {
      const answer = await app.readiness();
      return answer?.status === 503 && answer.body.reasons?.[engine] === NO_ANSWER;
    });

  /** What needs an engine that is gone is no failure of the service's, but to be asked for again. */
  const isAskedToComeAgain = async (client: RubricaClient): Promise<void> => {
    const asked = [
      await client.send("GET", `/api/v2/signatureStatus/${UNKNOWN_ID}`),
      await client.postDocument(await samplePdf(), [sampleSigner(1)]),
    ];
    for (const { status, headers } of asked) expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  };

  test.for(["NATS", "MongoDB", "EventStoreDB"])(
    "while %s is gone, who needs it says so, also who starts; all are ready by themselves when it is back",
    async (name, { skip }) => {
      skipUnlessStopped(skip, name);
      const { deployment, engines } = place();
      const engine = engines.processes[name] as EngineProcess;
      await engine.kill();
      const [needing, others] = [true, false].map((needs) =>
        deployment.apps.filter(({ app }) => asked[app]?.includes(name) === needs),
      ) as [AppProcess[], AppProcess[]];
      await Promise.all(needing.map((app) => named(app, name)));
      for (const app of others) await app.ready();
      if (name !== "NATS") await isAskedToComeAgain(deployment.client);
      const again = needing.find(({ app }) => app === "subscribers") as AppProcess;
      await again.kill();
      await again.start();
      await named(again, name);
      expect((await fetch(`${again.url}/livez`)).status).toBe(200);
      await engine.start();
      await deployment.ready();
      await isProjected();
    },
  );

  test("each app ends when it is asked to, while every engine is silent", async ({ skip }) => {
    skipUnlessStopped(skip, "EventStoreDB", "MongoDB", "NATS");
    const { deployment, engines } = place();
    const silent = Object.values(engines.processes);
    await Promise.all(silent.map((engine) => engine.silence()));
    // The engines stay silent until all have ended: each app ends by its own clock.
    const ends = await Promise.all(deployment.apps.map(async (app) => ({ name: app.name, ...(await app.end()) })));
    for (const engine of silent) engine.signal("SIGCONT");
    expect(ends).toEqual(deployment.apps.map(({ name }) => ({ name, code: 0, signal: null })));
  });
});
