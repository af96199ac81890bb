import { campaignOf, DEFAULT_DOCUMENT_NAME, type OpenAccount } from "@rubrica/domain";
import { BadRequestError, type Fault } from "@rubrica/http";
import type { Placement } from "@rubrica/pdf";
import type { FastifyRequest } from "fastify";
import { expiryFaults } from "../fields/expiry.ts";
import { undrawableFaults } from "../fields/names.ts";
import { MAX_NAME_LENGTH, PlacementFields, type PlacementInput, type SignerInput } from "../fields/signer.ts";
import { MAX_WEBHOOK_HEADERS } from "../fields/webhook.ts";
import type { Parsed } from "../schemas.ts";
import { warn } from "../warnings.ts";
import type { BodyLimits, DocumentSetBody } from "./body.ts";
import {
  type AskedOfDocument,
  type DocumentReader,
  placesOf,
  type ReadDocument,
  readDocument,
  type SignerPlace,
  type TakenDocument,
} from "./read-document.ts";
import { placementWarnings, signerWarnings } from "./warnings.ts";

/** A body as it came or as it was parsed: its fields are checked one by one, since others may be invalid. */
type Body = Partial<Record<keyof DocumentSetBody, unknown>>;

const fieldsOf = (given: unknown): Body => (typeof given === "object" && given !== null ? given : {});

/** Smaller than any entry of a JSON object: `"":1,`. */
const LEAST_ENTRY_BYTES = 5;

const entriesIn = (value: unknown): number =>
  typeof value === "object" && value !== null ? Object.keys(value).length : 0;

/**
 * Refuses lists of more entries than any request may have before each entry is looked at: naming the faults of millions
 * of them would take the process's time and memory.
 * @throws {BadRequestError}
 */
export const refuseFloods = (given: unknown, limits: BodyLimits): void => {
  const { datos_firmantes, webhook_key, custom_parameters } = fieldsOf(given);
  const faults: Fault[] = [];
  const check = (path: string, value: unknown, max: number, message: string): void => {
    if (entriesIn(value) > max) faults.push({ path, message });
  };
  const { signers, customParametersBytes } = limits;
  check("datos_firmantes", datos_firmantes, signers, `must have at most ${signers} signers`);
  check("webhook_key", webhook_key, MAX_WEBHOOK_HEADERS, `must have at most ${MAX_WEBHOOK_HEADERS} entries`);
  const maxParameters = customParametersBytes / LEAST_ENTRY_BYTES;
  const tooLong = `must have at most ${customParametersBytes} bytes as JSON`;
  check("custom_parameters", custom_parameters, maxParameters, tooLong);
  if (faults.length > 0) throw new BadRequestError(faults);
};

/** A signer, with where their signature goes. */
export interface PlacedSigner extends SignerInput {
  placement: Placement;
}

/** A body that was checked together with its document. */
export interface CheckedRequest {
  body: DocumentSetBody;
  document: TakenDocument;
  /** In the order of the body. */
  signers: readonly PlacedSigner[];
}

/** What comes of a `document` that is no text: the schema has the fault of it. */
const notAText: ReadDocument = { ok: false, faults: [] };

/**
 * The body and its document, checked together. `now`: milliseconds since the UNIX epoch.
 * @throws {BadRequestError} naming every fault there is. @throws {HttpError} 413 or 503 for the document.
 */
export const checkedRequest = async (
  request: FastifyRequest,
  parsed: Parsed<DocumentSetBody>,
  reader: DocumentReader,
  account: OpenAccount,
  now: number,
): Promise<CheckedRequest> => {
  const ofSchema = parsed.ok ? [] : parsed.faults;
  const body = fieldsOf(parsed.ok ? parsed.body : parsed.given);
  const ofFields = [...campaignFaults(body, account), ...expiryFaults(body, now)];
  const ofTheRest = [...ofFields, ...(await nameFaults(reader, body))];
  const isAcceptable = ofSchema.length + ofTheRest.length === 0;
  const signers = parsed.ok ? parsed.body.datos_firmantes : placementsIn(body);
  const asked = { ...askedBy(body, signers), isAcceptable };
  const read = typeof body.document === "string" ? await readDocument(reader, body.document, asked) : notAText;
  if (read.ok && isAcceptable && parsed.ok) {
    const { document } = read;
    warn(request, [...signerWarnings(parsed.body), ...placementWarnings(asked.places, document)]);
    return { body: parsed.body, document, signers: placed(parsed.body.datos_firmantes, asked.places, document) };
  }
  throw new BadRequestError([...ofSchema, ...(read.ok ? [] : read.faults), ...ofTheRest]);
};

const placed = (
  signers: readonly SignerInput[],
  places: readonly SignerPlace[],
  { placements }: TakenDocument,
): PlacedSigner[] =>
  signers.map((signer, index) => {
    const placement = placements[places.findIndex((place) => place.signer === index)];
    if (!placement) throw new Error("a document was taken without a place for each signature");
    return { ...signer, placement };
  });

/** Names that could not be printed as they are; what else is wrong with signers is told by the schema. */
const nameFaults = async ({ pdf, caller }: DocumentReader, { datos_firmantes: signers }: Body): Promise<Fault[]> => {
  const names = (Array.isArray(signers) ? signers : []).map((signer: Partial<Record<string, unknown>> | null) =>
    typeof signer?.name === "string" && [...signer.name].length <= MAX_NAME_LENGTH ? signer.name : "",
  );
  return undrawableFaults(await pdf.undrawable(names, caller), (index) => `datos_firmantes[${index}].name`);
};

const campaignFaults = ({ campaign_id: id }: Body, account: OpenAccount): Fault[] =>
  Number.isInteger(id) && !campaignOf(account, Number(id))
    ? [{ path: "campaign_id", message: "is no campaign of this account" }]
    : [];

/** Of a body with faults: where its signers ask their signatures to go, as far as these fields are sound. */
const placementsIn = ({ datos_firmantes: signers }: Body): (PlacementInput | undefined)[] =>
  (Array.isArray(signers) ? signers : []).map((signer) => PlacementFields.safeParse(signer).data);

const askedBy = (
  { firma_en_todas_las_hojas: everyPage, document_name: title }: Body,
  signers: readonly (PlacementInput | undefined)[],
): Omit<AskedOfDocument, "isAcceptable"> => {
  return {
    places: placesOf(signers),
    everyPage: everyPage === true,
    title: typeof title === "string" ? title : DEFAULT_DOCUMENT_NAME,
  };
};
