import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import type { Answer, World } from "./world.ts";

export { pdf };

/** A PDF of pages of these sizes, in points, as Base64; default: one of A4. */
export const pdfOf = (...sizes: readonly (readonly [number, number])[]): string => {
  const pages = (sizes.length > 0 ? sizes : [[595, 842] as const]).map(([width, height]) => ({
    entries: `/MediaBox[0 0 ${width} ${height}]`,
  }));
  return Buffer.from(pdf({ pages })).toString("base64");
};

export const ana = { name: "Ana Paz", dni: "30.123.456", dni_country: "AR", phone: "+54 9 (11) 2233-4455" };
export const leo = { name: "Leo Ruiz", dni: "E-123.45", dni_country: "FR", phone: "33612345678" };

type Fields = Record<string, unknown>;

/** The least that a request must hold, with `fields` in place of or beside it. */
export const requestOf = (fields: Fields = {}): Fields => ({ document: pdfOf(), datos_firmantes: [ana], ...fields });
/** A request of one signer, who has these fields beside or in place of Ana's. */
export const requestBy = (signer: Fields, fields: Fields = {}): Fields =>
  requestOf({ datos_firmantes: [{ ...ana, ...signer }], ...fields });

export const V2 = "/api/v2/documentSet";
export const LEGACY = "/api/documentSet";

export const ask = (world: World, body: unknown, options?: Parameters<World["send"]>[3]): Promise<Answer> =>
  world.send("POST", V2, body, options);

/** The one fixed text of a document request's 400. */
export const BAD = ["Missing data or error information"];

/** The body of a 400 that names exactly these faults, in any order. */
export const faults = (...details: [path: string, message: string][]) => ({
  error: BAD,
  details: details.map(([path, message]) => ({ path, message })),
});

/** The faults that an answer names, by path. */
export const faultsIn = ({ body }: Answer): Record<string, string> =>
  Object.fromEntries(body.details.map(({ path, message }: { path: string; message: string }) => [path, message]));

/** What was recorded when a document was asked for. */
export const requestedOf = async (world: World, documentId: string) => {
  const [event] = await world.eventsOf(`document-${documentId}`);
  if (event?.type !== "DocumentRequested" || !event.personal) throw new Error("not requested");
  return { data: event.data, personal: event.personal };
};

/** Asks for a document and gives what was recorded. @throws when it is refused. */
export const recorded = async (world: World, body: unknown, options?: Parameters<World["send"]>[3]) => {
  const answer = await ask(world, body, options);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return requestedOf(world, answer.body.id_seguimiento);
};
