import { documentFold, foldOf } from "@rubrica/domain";
import { type DocumentEvent, streamName } from "@rubrica/events";
import type { Journal, JournalEvent } from "@rubrica/journal";
import { isoTime, systemClock, systemRandom } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { type Answer, eventually, type RubricaClient, sampleDrawing, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

// Requests that meet: whichever is stored first wins, the other is told, and every GET tells the same.

/** How often each two meet; `npm run test:long` has them meet a hundred times. */
const TIMES = Number(process.env.RUBRICA_MEETINGS ?? 30);
const AT_ONCE = 10;
const LONGEST_DELAY_MS = 40;
/** A signature's drawing is read by a helper before it is stored. */
const LONGEST_DELAY_AFTER_SIGNING_MS = 800;

const seed = Number(process.env.RUBRICA_MEETINGS_SEED ?? Math.floor(systemRandom.fraction() * 2 ** 31));
const random = seededRandom(seed);

let service: TestService;
let client: RubricaClient;
let pdf: Buffer;
let signers = 0;

beforeAll(async () => {
  console.info(`meetings: RUBRICA_MEETINGS_SEED=${seed}`);
  service = await serviceInProcess();
  client = service.client;
  pdf = await samplePdf();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A document, and its signer as they were asked. */
interface Asked {
  id: string;
  idCustom: string;
  phone: string;
  /** Of the signer's API. */
  path: string;
}

const ask = async (): Promise<Asked> => {
  const document = await client.requestDocument(pdf, [sampleSigner(++signers)]);
  const [{ link, id_custom: idCustom, contact: phone } = { link: "", id_custom: "", contact: "" }] = document.urls;
  return { id: document.id_seguimiento, idCustom, phone, path: `/api/signing/${new URL(link).pathname.slice(3)}` };
};

const later = async (act: () => Promise<Answer>, longestDelayMs = LONGEST_DELAY_MS): Promise<number> => {
  await systemClock.wait(random.fraction() * longestDelayMs);
  return (await act()).status;
};

interface Overview {
  status: string;
  can_sign: boolean;
  document_sha256: string;
  consent: { version: string };
  end?: { kind: string; reason: string | null };
}
const get = async <Body>(path: string): Promise<Body> => {
  const answer = await client.read(path);
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
  return answer.json<Body>();
};

/** Signs, what the page shows having been read before. */
const signing = async ({ path }: Asked): Promise<() => Promise<Answer>> => {
  const { document_sha256, consent } = await get<Overview>(path);
  const body = { garabato: sampleDrawing, consent_version: consent.version, document_sha256 };
  return () => client.send("POST", `${path}/sign`, body);
};

interface Found {
  status: string;
  end: { kind: string } | null;
  signers: { contact: string; status: string }[];
}
const foundBy = async (phone: string): Promise<Found[]> =>
  (await get<{ documents: Found[] }>(`/api/v2/documents?phone=${phone}`)).documents;

const TOLD = ["document_signed", "document_rejected", "document_canceled", "document_expired", "signer_corrected"];

/** All that an integrator is told of a document that one person was asked to sign, on a phone or on another since. */
const toldOf = async ({ id, phone }: Asked, anotherPhone?: string) => {
  const { is_finished: isFinished } = await client.status(id);
  const names = await client.eventNames(id);
  const { signers: people } = await get<{ signers: Record<"celular" | "hora_firma", unknown>[] }>(
    `/api/v2/signers/${id}/metadata`,
  );
  const found = [...(await foundBy(phone)), ...(anotherPhone === undefined ? [] : await foundBy(anotherPhone))];
  expect(found).toHaveLength(1);
  expect(people).toMatchObject([{ celular: found[0]?.signers[0]?.contact }]);
  return {
    isFinished,
    isSigned: people[0]?.hora_firma !== null,
    status: found[0]?.status,
    end: found[0]?.end?.kind ?? null,
    contact: found[0]?.signers[0]?.contact,
    names: names.filter((name) => TOLD.includes(name)),
  };
};

const namesOf = (event: DocumentEvent): string[] => {
  if (event.type === "DocumentSigned") return ["document_signed"];
  if (event.type === "Rejected") return ["document_rejected"];
  if (event.type === "SignerCorrected") return ["signer_corrected"];
  return event.type === "DocumentWithdrawn" ? [`document_${event.data.reason}`] : [];
};

/** The same, by the document's stream. */
const storedOf = async (journal: Journal, { id }: Asked): Promise<Awaited<ReturnType<typeof toldOf>>> => {
  const events: DocumentEvent[] = [];
  for await (const event of journal.read(streamName("document", id)))
    events.push(event as JournalEvent & DocumentEvent);
  const document = foldOf(documentFold, events);
  if (document.status === "none") throw new Error("it was not requested");
  const ends = { completed: "signed", rejected: "rejected", pending: null } as const;
  const end = document.status === "withdrawn" ? document.withdrawal : ends[document.status as keyof typeof ends];
  const status = end === "signed" || end === "rejected" ? end : "ended";
  return {
    isFinished: end === "signed",
    isSigned: document.signers[0]?.signed === true,
    status: end === null ? "pending" : status,
    end,
    contact: document.signers[0]?.person?.phone,
    names: events.flatMap(namesOf),
  };
};

/** Has so many meet, some at a time, and holds what is told of each to its stream. */
const meet = async (once: () => Promise<{ asked: Asked; told: object; isFirst: boolean }>): Promise<string> => {
  await using inspection = await inspect(service.dataDir);
  let won = 0;
  for (let done = 0; done < TIMES; done += AT_ONCE) {
    const met = await Promise.all(Array.from({ length: Math.min(AT_ONCE, TIMES - done) }, once));
    for (const { asked, told } of met) expect(told).toEqual(await storedOf(inspection.engines.journal, asked));
    won += met.filter(({ isFirst }) => isFirst).length;
  }
  return `${won} of ${TIMES} times`;
};

test("the last signature and a cancellation", async () => {
  const won = await meet(async () => {
    const asked = await ask();
    const sign = await signing(asked);
    const cancel = () => client.send("POST", `/api/v2/documents/${asked.id}/cancel`, { reason: "called off" });
    const statuses = await Promise.all([later(sign), later(cancel, LONGEST_DELAY_AFTER_SIGNING_MS)]);
    const isFirst = statuses[0] === 200;
    expect(statuses).toEqual(isFirst ? [200, 409] : [409, 200]);
    const told = await toldOf(asked);
    expect(told).toMatchObject({ isFinished: isFirst, end: isFirst ? "signed" : "canceled" });
    expect(await get<Overview>(asked.path)).toMatchObject(
      isFirst
        ? { status: "signed", can_sign: false }
        : { status: "ended", can_sign: false, end: { kind: "canceled", reason: "called off" } },
    );
    // Asked once more, each is answered as it was.
    expect([(await sign()).status, (await cancel()).status]).toEqual(statuses);
    return { asked, told, isFirst };
  });
  console.info(`the signature was first ${won}`);
});

test("a correction and the page's opening", async () => {
  const won = await meet(async () => {
    const asked = await ask();
    const phone = sampleSigner(++signers).phone.replace(/\D/g, "");
    const correct = () => client.send("PATCH", `/api/v2/documents/${asked.id}/signers/${asked.idCustom}`, { phone });
    const open = () => client.send("POST", `${asked.path}/opened`, {});
    const statuses = await Promise.all([later(correct), later(open)]);
    const isFirst = statuses[0] === 200;
    expect(statuses).toEqual(isFirst ? [200, 410] : [409, 200]);
    const told = await toldOf(asked, phone);
    expect(told).toMatchObject({ end: null, contact: isFirst ? phone : asked.phone });
    expect((await client.read(asked.path)).status).toBe(isFirst ? 410 : 200);
    return { asked, told, isFirst };
  });
  console.info(`the correction was first ${won}`);
});

/** Has a document's time end soon: in as long as the service needs to take that, on a busy machine too. Answers when. */
const endSoon = async ({ id }: Asked): Promise<number> => {
  for (let aheadMs = 300; aheadMs < 60_000; aheadMs *= 2) {
    const atMs = systemClock.now() + aheadMs;
    const { status } = await client.send("PATCH", `/api/v2/documents/${id}`, { expires_at: isoTime(atMs) });
    if (status === 200) return atMs;
    expect(status, "it lay in the past when it came").toBe(400);
  }
  throw new Error("no moment is late enough");
};

test("a document's time and a rejection", async () => {
  const won = await meet(async () => {
    const asked = await ask();
    const atMs = await endSoon(asked);
    await systemClock.wait(Math.max(0, atMs - LONGEST_DELAY_MS - systemClock.now()));
    const status = await later(() => client.send("POST", `${asked.path}/reject`, { reason: "no" }));
    const isFirst = status === 200;
    expect([200, 409]).toContain(status);
    await eventually("its end", async () => (await foundBy(asked.phone))[0]?.end !== null);
    const told = await toldOf(asked);
    expect(told).toMatchObject({ isFinished: false, end: isFirst ? "rejected" : "expired" });
    expect(await get<Overview>(asked.path)).toMatchObject(
      isFirst ? { status: "rejected" } : { status: "ended", end: { kind: "expired" } },
    );
    return { asked, told, isFirst };
  });
  console.info(`the rejection was first ${won}`);
});

test("and phones are held by nobody whose document has ended", async () => {
  await using inspection = await inspect(service.dataDir);
  const held = async () => [...(await inspection.lines()).values()].filter(({ holder }) => holder !== null).length;
  // Who was corrected, or opened the page, is still to sign.
  await eventually("that nobody else's phone is held", async () => (await held()) === TIMES);
});
