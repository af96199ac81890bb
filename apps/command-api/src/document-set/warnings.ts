import type { RequestedDocument } from "@rubrica/domain";
import type { Fault } from "@rubrica/http";
import { isCountry, phoneDoubt } from "@rubrica/identity";
import { type SignerInput, signerFields } from "../fields/signer.ts";
import { misspeltFields } from "../warnings.ts";
import type { DocumentSetBody } from "./body.ts";
import type { SignerPlace, TakenDocument } from "./read-document.ts";

/** Fields of a body, and of its signers, that seem misspelt. `given` as it came. */
export const misspeltIn = (given: unknown, fields: readonly string[]): Fault[] => {
  const signers = typeof given === "object" && given !== null && "datos_firmantes" in given && given.datos_firmantes;
  return [
    ...misspeltFields(given, fields),
    ...(Array.isArray(signers) ? signers : []).flatMap((signer, index) =>
      misspeltFields(signer, signerFields, `datos_firmantes[${index}].`),
    ),
  ];
};

/** That what signers see and sign is not what was sent. */
export const changedFileWarnings = (document: RequestedDocument): Fault[] => {
  const file = "file" in document ? document.file : null;
  const { sentFile } = document;
  if (!file || !sentFile || sentFile.sha256 === file.sha256) return [];
  const message =
    `is not signed as it was sent (SHA-256 ${sentFile.sha256}, which is kept): ` +
    `what signers see and sign has SHA-256 ${file.sha256}`;
  return [{ path: "document", message }];
};

/** What is odd about signers who are taken. */
export const signerWarnings = ({ datos_firmantes: signers }: DocumentSetBody): Fault[] =>
  signers.flatMap((signer, index) =>
    doubtsOf(signer).map(({ path, message }) => ({ path: `datos_firmantes[${index}].${path}`, message })),
  );

const doubtsOf = (signer: SignerInput): Fault[] => {
  const { phone, email, dni_country: country, idNumber } = signer;
  const ofPhone = phoneDoubt(phone);
  return [
    ...(ofPhone === undefined ? [] : [{ path: "phone", message: ofPhone }]),
    ...(email.doubt === undefined ? [] : [{ path: "email", message: email.doubt }]),
    ...(country === undefined || isCountry(country)
      ? []
      : [{ path: "dni_country", message: "is no ISO 3166-1 alpha-2 code: no country's rules were applied" }]),
    ...idNumber.warnings.map((message) => ({ path: "dni", message })),
  ];
};

/** What the sender of a document may not expect of where signatures go. */
export const placementWarnings = (
  places: readonly SignerPlace[],
  { inspection: { pageCount }, pagesBefore, placements }: TakenDocument,
): Fault[] => {
  const added = pageCount - pagesBefore;
  const elsewhere = places.filter(({ page, x }, place) => {
    const pages = placements[place]?.pages;
    const found = pages === "last" ? pageCount : pages;
    return page !== undefined && x === undefined && found !== page && found !== "all";
  });
  return [
    ...(added > 0
      ? [{ path: "document", message: `has no room for all signatures: got ${pagesOf(added)} for them` }]
      : []),
    ...elsewhere.map(({ signer }) => ({
      path: `datos_firmantes[${signer}].page`,
      message: "is full: the signature goes on another page",
    })),
  ];
};

const pagesOf = (count: number): string => (count === 1 ? "a page" : `${count} pages`);
