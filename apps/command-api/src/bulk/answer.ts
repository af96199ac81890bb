import { bulkDocumentId, type Handlers } from "@rubrica/commands";
import { HttpError } from "@rubrica/http";
import { pacer } from "@rubrica/runtime";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";
import { bulkAnswerExample } from "./examples.ts";

/** Documents that are read in one iteration of the event loop: the embedded event store reads at once. */
const DOCUMENTS_AT_ONCE = 10;

/** The answer to a bulk call. */
export const BulkAnswer = z
  .array(
    z.object({
      link: z.url().describe("Personal signing link; works before any message is sent"),
      name: z.string(),
      dni: z.string().describe("Without dots and hyphens"),
      contact: z.string().describe("The phone, digits only"),
      method: z.literal("wpp"),
      id_custom: z.union([z.string(), z.number()]).describe("The id of the signer's element, else the phone"),
    }),
  )
  .meta({ examples: [bulkAnswerExample] })
  .describe("The call was accepted; one entry per signer, in the order of `df`.");

type Entry = z.infer<typeof BulkAnswer>[number];

/** The answer to a bulk call that was accepted, made of what its documents' events tell. @throws {HttpError} 409 */
export const bulkAnswer = async (
  { handlers, tokens, publicUrl }: Pick<CommandApiDependencies, "handlers" | "tokens" | "publicUrl">,
  bulkId: string,
): Promise<Entry[]> => {
  const bulk = await handlers.bulks.load(bulkId);
  if (bulk.status === "none") throw new Error("the bulk call is not there");
  const entries: Entry[] = [];
  const pace = pacer(DOCUMENTS_AT_ONCE);
  for (let row = 0; row < bulk.rowCount; row++) {
    await pace(1);
    const documentId = bulkDocumentId(bulkId, row);
    entries.push({
      link: `${publicUrl}/s/${tokens.make(documentId, 0)}`,
      ...(await signerEntry(handlers, documentId)),
    });
  }
  return entries;
};

const signerEntry = async ({ documents }: Handlers, documentId: string): Promise<Omit<Entry, "link">> => {
  const document = await documents.load(documentId);
  if (document.status === "none") throw new Error("a row's document is not there");
  const person = document.signers[0]?.personRequested;
  if (!person) throw new HttpError(409, { error: "The request was made before, and its documents were erased since" });
  const id = document.texts?.variables?.id;
  const { name, idNumber, phone, idCustom } = person;
  return { name, dni: idNumber, contact: phone, method: "wpp", id_custom: typeof id === "number" ? id : idCustom };
};
