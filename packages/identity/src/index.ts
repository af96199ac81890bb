export { checkIdNumber, type IdNumberCheck, MAX_ID_NUMBER_LENGTH, sanitizeIdNumber } from "./id-number.ts";
export { type MrzReason, type MrzVerdict, mrzAgrees } from "./mrz/agrees.ts";
export { type Mrz, type MrzFormat, readMrz } from "./mrz/read.ts";
export { countryOfPhone, phoneLine, sanitizePhone } from "./phone.ts";
export {
  type IdentityCheck,
  type IdentityPerson,
  type IdentityPhoto,
  type IdentityProvider,
  IdentityProviderUnavailable,
  type IdentityVerdict,
  type PhotoKind,
  type PhotoVerdict,
  type ProviderFile,
  type UnavailableReason,
} from "./provider/port.ts";
