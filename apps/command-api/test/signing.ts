import { createHash } from "node:crypto";
import { currentConsent } from "@rubrica/domain";
import { sampleDrawing } from "@rubrica/test-kit";
import { ask, pdf, requestOf } from "./requests.ts";
import type { World } from "./world.ts";

/** The document that signers are shown. */
export const shown = Buffer.from(pdf());
export const shownSha256 = createHash("sha256").update(shown).digest("hex");

/** A signature of that document as the page sends it. */
export const signature = {
  garabato: sampleDrawing,
  consent_version: currentConsent.version,
  document_sha256: shownSha256,
  time_zone: "America/Argentina/Buenos_Aires",
  signature_method: "typed",
};

/** A document that was asked for, and its signers' addresses in the signer's API. */
export interface Asked {
  documentId: string;
  links: string[];
}

/** Asks for a document. */
export const asked = async (made: World, fields: Record<string, unknown> = {}, key = "pro"): Promise<Asked> => {
  const { status, body } = await ask(made, requestOf(fields), { key });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const links = body.urls.map(({ link }: { link: string }) => `/api/signing/${link.split("/s/")[1]}`);
  return { documentId: body.id_seguimiento, links };
};

export const post = (made: World, url: string, body: unknown) => made.send("POST", url, body, { key: null });
export const typesOf = async (made: World, documentId: string) =>
  (await made.eventsOf(`document-${documentId}`)).map(({ type }) => type);
