import { madeOnce } from "@rubrica/runtime";

/** The words on a stamp, in the API's language. Other languages would be further tables of this shape. */
export const stampTexts = {
  idNumber: "Identificación",
  signedAt: "Firmado el",
  document: "Documento",
  signedBy: "Firmado por",
  signaturePage: (number: number, of: number): string =>
    of === 1 ? "Página de firmas" : `Página de firmas ${number} de ${of}`,
  belongsTo: (pages: number): string =>
    pages === 1
      ? "Sigue al documento, de una página, y es parte de él"
      : `Sigue a las ${pages} páginas del documento, y es parte de él`,
  itsHash: (signaturePages: number): string =>
    `SHA-256 del documento sin ${signaturePages === 1 ? "esta página" : "las páginas de firmas"}`,
  signers: (count: number): string => `${count} firmantes`,
};

const MAX_NAMED = 5;

/** Why a seal was put: who signed, as PDF readers show it; null when nobody did. */
export const reasonOf = (stamps: readonly { name: string; idNumber: string }[]): string | null => {
  if (stamps.length === 0) return null;
  const names = stamps.map(({ name, idNumber }) => `${name} (${idNumber})`).join(", ");
  return `${stampTexts.signedBy} ${stamps.length > MAX_NAMED ? stampTexts.signers(stamps.length) : names}`;
};

/**
 * A moment as it was on the signer's clock, to the second, with the zone's offset:
 * `2026-11-21 09:13:22 GMT-3`. An unknown zone counts as UTC.
 */
export const localTime = (epochMs: number, timeZone: string | null): string => {
  const parts = formatFor(timeZone).formatToParts(epochMs);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((candidate) => candidate.type === type)?.value ?? "";
  const zone = part("timeZoneName");
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  return `${date} ${part("hour")}:${part("minute")}:${part("second")} ${zone === "GMT" || zone === "GMT+0" ? "UTC" : zone}`;
};

const options: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "shortOffset",
};

/** To make one takes far longer than to ask it. More than there are zones: their names may be written in other cases. */
const formatIn = madeOnce(1_000, (timeZone) => new Intl.DateTimeFormat("en", { ...options, timeZone }));

const formatFor = (timeZone: string | null): Intl.DateTimeFormat => {
  try {
    return formatIn(timeZone ?? "UTC");
  } catch {
    return formatIn("UTC");
  }
};

/** A document id's two ends, which are enough to recognize it. */
export const shortId = (id: string): string => (id.length <= 20 ? id : `${id.slice(0, 8)}…${id.slice(-8)}`);
