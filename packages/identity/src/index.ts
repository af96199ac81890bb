// What identifies a signer: ID numbers, phones, time zones, and the port of the provider that compares faces and documents.
// It must not know documents or signatures. The reader of machine-readable zones is at `/mrz`, for who compares them.

export type { PhotoKind } from "@rubrica/events";
export { isCountry } from "./country.ts";
export {
  checkIdNumber,
  type IdNumberCheck,
  MAX_ID_NUMBER_LENGTH,
  sanitizeIdNumber,
  strippedIdNumber,
} from "./id-number.ts";
export { wordsOfName } from "./mrz/names.ts";
export { countryOfPhone, phoneDoubt, phoneLine, sanitizePhone } from "./phone.ts";
export {
  type IdentityCheck,
  type IdentityPerson,
  type IdentityPhoto,
  type IdentityProvider,
  IdentityProviderUnavailable,
  type IdentityVerdict,
  type PhotoVerdict,
  type ProviderFile,
  type UnavailableReason,
} from "./provider/port.ts";
export { countryTimeZones, isTimeZone, isTimeZoneName, timeZoneOfCountry, timeZoneOfPhone } from "./time-zones.ts";
