import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eraseDocument } from "@rubrica/commands";
import { comparePositions } from "@rubrica/event-store";
import { demoAccountId } from "@rubrica/events";
import { headsObligations, LAST, OWED_FIELD, obligationsCollections } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import {
  type Answer,
  type DocumentAccepted,
  eventually,
  outputOf,
  type RubricaClient,
  samplePdf,
  samplePhoto,
  sampleSigner,
  temporaryFolder,
} from "@rubrica/test-kit";
import { stringify } from "uuid";
import { type BulkEntry, callOf, rowOf, sendBulk } from "./bulk.ts";
import { inspect } from "./inspection.ts";
import type { TestService } from "./service.ts";

/** A document and what its one signer is reached by. */
export interface MixedDocument {
  id: string;
  idCustom: string;
  link: string;
}

/** How long so many documents may take on a machine that does much else. */
const SETTLING_MS = 900_000;
const WITHOUT_QUEUE = { wpp: false };

/**
 * Documents of every kind that there is, tens at a time: of ten, three signed, one signed with photos, one rejected, one
 * open, one queued behind that, two erased (one of them open), one of a bulk call. Resolves once nothing is owed.
 */
export const writeMixedDocuments = async (service: TestService, tens: number): Promise<MixedDocument[]> => {
  const { client, dataDir } = service;
  const pdf = await samplePdf();
  const photos = await Promise.all([samplePhoto("selfie"), samplePhoto("idFront"), samplePhoto("idBack")]);
  const documents: MixedDocument[] = [];
  const erased: MixedDocument[] = [];
  for (let ten = 0; ten < tens; ten++) {
    const signer = (place: number) => sampleSigner(ten * 10 + place);
    const request = async (place: number, fields: object = {}, person = signer(place)) => {
      const document = asMixed(await client.requestDocument(pdf, [person], fields));
      documents.push(document);
      return document;
    };
    const signed = async (place: number) => {
      const document = await request(place, WITHOUT_QUEUE);
      await client.sign(document.link);
      return document;
    };
    const photographed = async () => {
      const document = await request(3, { ...WITHOUT_QUEUE, request_photos: true });
      await sendPhotos(client, document, photos);
      await client.sign(document.link);
    };
    const twoInLine = async () => {
      await request(5);
      await request(6, {}, { ...signer(6), phone: signer(5).phone });
    };
    const [toErase, toEraseOpen] = await Promise.all([
      signed(7),
      request(8, WITHOUT_QUEUE),
      ...[0, 1, 2].map(signed),
      photographed(),
      request(4, WITHOUT_QUEUE).then(({ link }) => client.reject(link)),
      twoInLine(),
    ]);
    erased.push(toErase, toEraseOpen);
  }
  const rows = Array.from({ length: tens }, (_, number) => rowOf(900_000 + number));
  const entries = (await sendBulk(client, callOf(rows))).json<BulkEntry[]>();
  await settled(dataDir);
  await erase(dataDir, erased);
  await settled(dataDir);
  return [...documents, ...entries.map(ofBulk)];
};

const asMixed = ({ id_seguimiento, urls: [first] }: DocumentAccepted): MixedDocument => ({
  id: id_seguimiento,
  idCustom: first?.id_custom ?? "",
  link: first?.link ?? "",
});

const tokenOf = ({ link }: Pick<MixedDocument, "link">): string => link.replace(/^.*\/s\//, "");

const sendPhotos = async (client: RubricaClient, document: MixedDocument, photos: readonly Buffer[]): Promise<void> => {
  const path = `/api/signing/${tokenOf(document)}`;
  for (const [index, kind] of ["selfie", "dni_frontal", "dni_trasera"].entries())
    await client.send("POST", `${path}/photos/${kind}`, photos[index], { "content-type": "image/jpeg" });
  await eventually(
    "the provider's word",
    async () => (await client.read(path)).json<{ can_sign: boolean }>().can_sign,
    SETTLING_MS,
  );
};

/** Waits until nothing is owed any more: messages are sent, what was signed is sealed, reports are there. */
const settled = async (dataDir: string): Promise<void> => {
  await using stores = await inspect(dataDir);
  const { events, readModels } = stores.engines;
  /** By what is projected up to the log's end: what was written just now may be owed for. */
  const owesNothing = async (): Promise<boolean> => {
    const last = await events.lastPosition();
    for (const collection of obligationsCollections) {
      // A head of the log is owed from its first change on, and due an hour later.
      if (collection === headsObligations) continue;
      const checkpoint = await readModels.checkpointOf(collection);
      if (!last || !checkpoint || comparePositions(checkpoint, last) < 0) return false;
      const owed = await readModels.findRange(collection, OWED_FIELD, { upTo: LAST, limit: 1 });
      if (owed.length > 0) return false;
    }
    // What was met between two looks may owe something to the collection that was looked at first.
    return (await events.lastPosition())?.commit === last?.commit;
  };
  await eventually("nothing to be owed", owesNothing, SETTLING_MS);
};

const erase = async (dataDir: string, documents: readonly MixedDocument[]): Promise<void> => {
  await using stores = await inspect(dataDir);
  for (const { id } of documents) {
    const context = { commandId: id, accountId: demoAccountId, actor: "operator", correlationId: id, causationId: id };
    await eraseDocument({ ...stores.engines, runtime: systemRuntime() }, id, "requested", context);
  }
};

/** A bulk call tells its documents' links, not their ids; a link's token holds the document's. */
const ofBulk = ({ id_custom, link }: BulkEntry): MixedDocument => {
  const token = Buffer.from(tokenOf({ link }), "base64url");
  return { id: stringify(token.subarray(1, 17)), idCustom: String(id_custom), link };
};

/** Every address that answers about a document. */
const addressesOf = (document: MixedDocument): string[] => {
  const token = tokenOf(document);
  return [
    ...[document.id, document.idCustom].flatMap((one) => [
      `/api/v2/signatureStatus/${one}`,
      `/api/eventLogs/${one}`,
      `/api/v2/signers/${one}/metadata`,
      `/api/v2/documents/${one}`,
    ]),
    ...["selfie", "dni_frontal", "dni_trasera"].map(
      (kind) => `/api/v2/signers/${document.id}/photos/${document.idCustom}/${kind}/1`,
    ),
    ...["", "/document", "/signed"].map((path) => `/api/signing/${token}${path}`),
  ];
};

/** The answer, once what it is made of is projected. */
const answerAt = (client: RubricaClient, address: string): Promise<Answer> =>
  eventually(
    `an answer at ${address}`,
    async () => {
      const answer = await client.read(address);
      return answer.status !== 503 && answer;
    },
    SETTLING_MS,
  );

/** What is answered about documents, by the address: status, type and body (its hash, where it is no JSON). */
export const answersOf = async (
  client: RubricaClient,
  documents: readonly MixedDocument[],
): Promise<Map<string, string>> => {
  const answers = new Map<string, string>();
  for (const document of documents)
    await Promise.all(
      addressesOf(document).map(async (address) => {
        const { status, headers, bytes, text } = await answerAt(client, address);
        const type = headers.get("content-type");
        const body = type?.startsWith("application/json") ? text : createHash("sha256").update(bytes).digest("hex");
        answers.set(address, `${status} ${type} ${body}`);
      }),
    );
  return answers;
};

/** What the documents' legal reports say: they are set and sealed anew each time, and say when. */
export const reportsOf = async (client: RubricaClient, documents: readonly MixedDocument[]): Promise<string[]> => {
  using folder = temporaryFolder();
  const path = join(folder.path, "report.pdf");
  const reports: string[] = [];
  for (const { id } of documents) {
    const { status, bytes } = await answerAt(client, `/api/v2/reporte/${id}`);
    if (status === 200) writeFileSync(path, bytes);
    const text = status === 200 ? outputOf("pdftotext", "-layout", path, "-").text : "";
    reports.push(`${status} ${text.replace(/^.*Informe generado el.*$/m, "")}`);
  }
  return reports;
};
