import sharp from "sharp";
import { bareAcceptRate, createPosts, type Posts } from "./http.ts";
import { type Extent, percentile, perSecond, type Row, ratio, runtime, whole, withFolder } from "./measure.ts";
import {
  API_KEY,
  messagesTo,
  processorMsOf,
  type RunningServer,
  SIMULATOR_KEY,
  startBareServer,
  startRubrica,
} from "./servers.ts";

const { clock } = runtime;
const AT_ONCE = 12;
const POLL_MS = 15;
const GIVE_UP_MS = 60_000;
const STEPS = ["accepted", "asked", "link", "read", "signed", "sealed", "reported"] as const;
type Step = (typeof STEPS)[number];

/** How long each step of one life took, in milliseconds. */
export type Life = Record<Step, number>;

const eventually = async <Result>(ask: () => Promise<Result | undefined>): Promise<Result> => {
  const deadlineMs = clock.monotonicMs() + GIVE_UP_MS;
  for (;;) {
    const result = await ask();
    if (result !== undefined) return result;
    if (clock.monotonicMs() > deadlineMs) throw new Error("a step of a life did not come");
    await clock.wait(POLL_MS);
  }
};

const answer = async (url: string, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`a step of a life was answered ${response.status}`);
  return response;
};

const json = async <Body>(response: Response): Promise<Body> => (await response.json()) as Body;

const posted = (body: unknown, key?: Record<string, string>): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...key },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const ofAccount = { "x-api-key": API_KEY };

/** A document's whole life as its integrator and its signer see it: requested, read, signed, sealed, reported. */
export const live = async (url: string, { phone, body }: ReturnType<Posts["next"]>, drawing: string): Promise<Life> => {
  let sinceMs = clock.monotonicMs();
  const life: Partial<Life> = {};
  const step = async <Result>(name: Step, work: () => Promise<Result>): Promise<Result> => {
    const result = await work();
    life[name] = clock.monotonicMs() - sinceMs;
    sinceMs = clock.monotonicMs();
    return result;
  };
  const { id_seguimiento: id } = await step("accepted", async () =>
    json<{ id_seguimiento: string }>(await answer(`${url}/api/v2/documentSet`, posted(body, ofAccount))),
  );
  const first = await step("asked", () => eventually(async () => (await messagesTo(url, phone))[0]));
  const link = await step("link", async () => {
    const reply = posted({ button: "continue" }, { "x-simulator-key": SIMULATOR_KEY });
    await answer(`${url}/simulator/messages/${first.id}/reply`, reply);
    return eventually(async () => (await messagesTo(url, phone)).find((message) => message.link)?.link ?? undefined);
  });
  const signing = `${url}/api/signing/${new URL(link).pathname.split("/").at(-1)}`;
  const seen = await step("read", async () => {
    await answer(`${signing}/opened`, posted({}));
    await (await answer(`${signing}/document`)).arrayBuffer();
    return json<{ consent: { version: string }; document_sha256: string }>(await answer(signing));
  });
  await step("signed", () =>
    answer(
      `${signing}/sign`,
      posted({
        garabato: drawing,
        consent_version: seen.consent.version,
        document_sha256: seen.document_sha256,
        time_zone: "UTC",
      }),
    ),
  );
  await step("sealed", () =>
    eventually(async () => {
      const response = await fetch(`${url}/api/v2/documents/${id}`, { headers: ofAccount });
      return response.ok ? response.arrayBuffer() : undefined;
    }),
  );
  await step("reported", async () =>
    (await answer(`${url}/api/v2/reporte/${id}`, { headers: ofAccount })).arrayBuffer(),
  );
  return life as Life;
};

/** A signature as a pen draws it: a wave on nothing. From dots, since the service's image library reads no SVG. */
export const drawnSignature = async (): Promise<string> => {
  const [width, height, thickness] = [480, 180, 6];
  const dots = Buffer.alloc(width * height * 4);
  for (let x = 20; x < width - 20; x += 1) {
    const middle = Math.round(height / 2 + 60 * Math.sin(x / 25) * Math.cos(x / 70));
    for (let y = middle - thickness; y < middle + thickness; y += 1) dots.set([20, 33, 61, 255], (y * width + x) * 4);
  }
  const png = await sharp(dots, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${png.toString("base64")}`;
};

/** So many lives, some at once, and how many a second. */
export const manyLives = async (
  { url }: RunningServer,
  posts: Posts,
  drawing: string,
  { count, atOnce = AT_ONCE }: { count: number; atOnce?: number },
): Promise<{ perSecond: number; lives: Life[] }> => {
  const lives: Life[] = [];
  let begun = 0;
  const startedMs = clock.monotonicMs();
  const one = async (): Promise<void> => {
    while (begun++ < count) lives.push(await live(url, posts.next(), drawing));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { perSecond: perSecond(count, clock.monotonicMs() - startedMs), lives };
};

const medianOf = (lives: readonly Life[], step: Step): number =>
  percentile(
    lives.map((life) => life[step]),
    0.5,
  );

const stepsOf = (lives: readonly Life[]): string =>
  STEPS.map((step) => `${step} ${medianOf(lives, step).toFixed(0)}`).join(", ");

/** How long a report takes by the median, in milliseconds. */
export const reportMs = (lives: readonly Life[]): number => medianOf(lives, "reported");

/** How much longer a report takes beside twelve lives than alone, by the median. */
export const reportRatio = (beside: readonly Life[], alone: readonly Life[]): number =>
  reportMs(beside) / reportMs(alone);

/** Whole lives, twelve at once, against a bare server that accepts the same documents; and what becomes of reports. */
export const benchLives = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const rubrica = await startRubrica(`${folder}/rubrica`);
    const bare = await startBareServer(folder);
    try {
      const [posts, drawing] = [await createPosts(), await drawnSignature()];
      await manyLives(rubrica, posts, drawing, { count: 4, atOnce: 2 });
      const alone = await manyLives(rubrica, posts, drawing, { count: quick ? 5 : 15, atOnce: 1 });
      const baseline = await bareAcceptRate(bare, posts, quick ? 3 : 10);
      const count = quick ? 36 : 120;
      const before = processorMsOf(rubrica);
      const beside = await manyLives(rubrica, posts, drawing, { count });
      const spent = [...processorMsOf(rubrica)].map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / count]);
      const byProcess = spent.map(([name, ms]) => `${name} ${Number(ms).toFixed(0)} ms`).join(", ");
      const slowdown = reportRatio(beside.lives, alone.lives);
      return [
        {
          what: "whole lives, 12 at once",
          measured: `${beside.perSecond.toFixed(1)}/s`,
          baseline: `bare Fastify: parse, fsync the bytes: ${whole(baseline)}/s`,
          result: ratio(beside.perSecond / baseline),
          value: beside.perSecond / baseline,
          aim: "≥ 0.04",
          note: `processor time a life: ${byProcess}; median ms of steps: ${stepsOf(beside.lives)}; alone: ${stepsOf(alone.lives)}`,
        },
        {
          what: "a report beside 12 lives",
          measured: `p50 ${reportMs(beside.lives).toFixed(0)} ms`,
          baseline: `alone: p50 ${reportMs(alone.lives).toFixed(0)} ms`,
          result: `${slowdown.toFixed(1)} ×`,
          value: slowdown,
          aim: "≤ 4 ×",
          note: "all of the machine's processors are at work for other lives meanwhile",
        },
      ];
    } finally {
      await Promise.all([rubrica.stop(), bare.stop()]);
    }
  });
