export { checkIdNumber, type IdNumberCheck, MAX_ID_NUMBER_LENGTH, sanitizeIdNumber } from "./id-number.ts";
export { countryOfPhone, phoneLine, sanitizePhone } from "./phone.ts";
