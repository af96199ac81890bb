export type { PhotoKind } from "@rubrica/events";
export { isCountry } from "./country.ts";
export { checkIdNumber, type IdNumberCheck, MAX_ID_NUMBER_LENGTH, sanitizeIdNumber } from "./id-number.ts";
export { type MrzReason, type MrzVerdict, mrzAgrees } from "./mrz/agrees.ts";
export { wordsOfName } from "./mrz/names.ts";
export { type Mrz, type MrzFormat, readMrz } from "./mrz/read.ts";
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
export { countryTimeZones, timeZoneOfCountry } from "./time-zones.ts";
