import { openAccount } from "../test/system/attacks/support/accounts.ts";
import { structures } from "../test/system/attacks/support/pdfs.ts";
import { createPosts, type Posts } from "./http.ts";
import { type Extent, percentile, type Row, ratio, runtime, timeOf, whole, withFolder } from "./measure.ts";
import { API_KEY, type RunningServer, startRubrica } from "./servers.ts";

const { clock } = runtime;
/** Of who floods. */
const CONNECTIONS = 16;
const EVERY_MS = 1_000;
const SHARE = 0.95;

type Post = () => Promise<void>;

const poster = ({ url }: RunningServer, posts: Posts, apiKey: string): Post => {
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  return async () => {
    const { body } = posts.next();
    const response = await fetch(`${url}/api/v2/documentSet`, { method: "POST", headers, body });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`a document was answered with ${response.status}`);
  };
};

/** How long each of so many documents takes, one a second, in milliseconds. */
const oneASecond = async (post: Post, count: number): Promise<number[]> => {
  const tookMs: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const ms = await timeOf(post);
    tookMs.push(ms);
    await clock.wait(Math.max(0, EVERY_MS - ms));
  }
  return tookMs;
};

/** Posts as fast as is answered, on several connections, while something is done; gives how many documents a second. */
const flooded = async (post: Post, work: () => Promise<void>): Promise<number> => {
  let [isOver, count] = [false, 0];
  const flood = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      await post();
      count += 1;
    }
  });
  const ms = await timeOf(() => Promise.race([work(), Promise.all(flood)]));
  const perSecond = (count / ms) * 1_000;
  isOver = true;
  await Promise.all(flood);
  return perSecond;
};

/** Documents that are dear for their size, each another, as the attack tests send them: 8 KB that take a third of a second to be read. */
const dearPosts = (posts: Posts): Posts => {
  const pdf = structures["text in the content"]?.(100_000) ?? Buffer.alloc(0);
  let given = 0;
  return {
    next() {
      const { phone, body } = posts.next();
      const document = Buffer.concat([pdf, Buffer.from(`\n%${given++}\n`)]).toString("base64");
      return { phone, body: JSON.stringify({ ...JSON.parse(body), document }) };
    },
  };
};

/** What a second account's documents wait, one a second, alone and beside an account that posts all it can, of each kind. */
export const benchFairness = ({ quick }: Extent): Promise<Row[]> =>
  withFolder(async (folder) => {
    const count = quick ? 20 : 200;
    const rubrica = await startRubrica(folder);
    try {
      const { apiKey } = await openAccount(folder, { name: "Second" });
      const posts = await createPosts();
      const second = poster(rubrica, posts, apiKey);
      const kinds = [
        { of: "documents", posts, note: "one thread does all but the reading of the PDF, others' messages among it" },
        {
          of: "dear documents",
          posts: dearPosts(posts),
          note: "helpers read the dear ones on all processors meanwhile",
        },
      ];
      // The first ones compile what they run through.
      await flooded(poster(rubrica, posts, API_KEY), () => clock.wait(3_000));
      const aloneMs = percentile(await oneASecond(second, count), SHARE);
      const rows: Row[] = [];
      for (const { of, posts: flood, note } of kinds) {
        let beside: number[] = [];
        const rate = await flooded(poster(rubrica, flood, API_KEY), async () => {
          beside = await oneASecond(second, count);
        });
        const besideMs = percentile(beside, SHARE);
        rows.push({
          what: `p95 of ${count} documents of a second account, one a second, beside ${of}`,
          measured: `beside ${CONNECTIONS} connections of another (${whole(rate)}/s): ${whole(besideMs)} ms`,
          baseline: `alone: ${whole(aloneMs)} ms`,
          result: `${ratio(besideMs / aloneMs)} ×`,
          value: besideMs / aloneMs,
          aim: "≤ 3 ×",
          note,
        });
      }
      return rows;
    } finally {
      await rubrica.stop();
    }
  });
