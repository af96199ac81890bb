import type { Random } from "@rubrica/runtime";
import type { Answer, DocumentAccepted, RubricaClient } from "@rubrica/test-kit";
import { sampleSigner } from "@rubrica/test-kit";

/** What a load was answered, over the lives of several services. */
export interface Ledger {
  accepted: DocumentAccepted[];
  /** Documents whose signature, or rejection, was answered. */
  signed: DocumentAccepted[];
  rejected: DocumentAccepted[];
  /** Documents that nobody signs or rejects at the moment. */
  untouched: DocumentAccepted[];
  /** Documents whose signature or rejection was sent and never answered. */
  unknown: DocumentAccepted[];
  /** Answers that no request should get. */
  wrong: { request: string; status: number; text: string }[];
}

export const emptyLedger = (): Ledger => ({
  accepted: [],
  signed: [],
  rejected: [],
  untouched: [],
  unknown: [],
  wrong: [],
});

/** How a load is made. */
export interface LoadOptions {
  client: RubricaClient;
  ledger: Ledger;
  pdf: Buffer;
  random: Random;
  /** How many requests are under way at a time. */
  concurrency: number;
  /** How many phones the documents are for. */
  phones: number;
}

/** A load that goes on until the service is gone; resolves with how many writes were cut off without an answer. */
export const loadUntilCut = async ({ concurrency, ...options }: LoadOptions): Promise<number> => {
  const cuts = await Promise.all(Array.from({ length: concurrency }, () => oneAfterTheOther(options)));
  return cuts.filter((cut) => cut).length;
};

type Work = Omit<LoadOptions, "concurrency">;

/** True when its last request was a write that was cut off. */
const oneAfterTheOther = async (work: Work): Promise<boolean> => {
  for (;;) {
    const dice = work.random.fraction();
    const cut =
      dice < 0.45
        ? await requestOne(work)
        : dice < 0.85
          ? await signOne(work)
          : dice < 0.9
            ? await rejectOne(work)
            : await pressOne(work);
    if (cut !== undefined) return cut;
  }
};

/** `undefined` while the service answers; else whether a write was cut off. */
type Cut = boolean | undefined;

const requestOne = async ({ client, ledger, pdf, random, phones }: Work): Promise<Cut> => {
  const signer = sampleSigner(Math.floor(random.fraction() * phones));
  const answer = await client.postDocument(pdf, [signer]).catch(() => undefined);
  if (!answer) return true;
  if (answer.status !== 200) return noteWrong(ledger, "request", answer);
  const accepted = answer.json<DocumentAccepted>();
  ledger.accepted.push(accepted);
  ledger.untouched.push(accepted);
  return undefined;
};

const takeOne = ({ ledger: { untouched }, random }: Work): DocumentAccepted | undefined =>
  untouched.splice(Math.floor(random.fraction() * untouched.length), 1)[0];

const signOne = async (work: Work): Promise<Cut> => {
  const document = takeOne(work);
  if (!document) return requestOne(work);
  const { client, ledger } = work;
  const answer = await client.postSignature(document.urls[0]?.link ?? "").catch(() => undefined);
  if (!answer) {
    ledger.unknown.push(document);
    return true;
  }
  if (answer.status !== 200) return noteWrong(ledger, "sign", answer);
  ledger.signed.push(document);
  return undefined;
};

const rejectOne = async (work: Work): Promise<Cut> => {
  const document = takeOne(work);
  if (!document) return requestOne(work);
  const { client, ledger } = work;
  try {
    await client.reject(document.urls[0]?.link ?? "");
    ledger.rejected.push(document);
    return undefined;
  } catch {
    ledger.unknown.push(document);
    return true;
  }
};

/** Presses "continue" on the newest question of a phone. */
const pressOne = async ({ client, random, phones }: Work): Promise<Cut> => {
  try {
    const messages = await client.messagesTo(sampleSigner(Math.floor(random.fraction() * phones)).phone);
    const asked = messages.findLast(({ buttons }) => buttons.length > 0);
    if (asked) await client.press(asked.id, "continue");
    return undefined;
  } catch {
    return false;
  }
};

const noteWrong = (ledger: Ledger, request: string, { status, text }: Answer): undefined => {
  ledger.wrong.push({ request, status, text });
};
