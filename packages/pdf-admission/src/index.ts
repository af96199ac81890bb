// Whether every reader shows a PDF file alike and it does nothing by itself: it is made so, or refused.
// It must not know seals, nor how signatures are verified: it is given a file, with signatures or without.

export type { ActiveContent, Admission } from "./admission.ts";
export { admit, admitted, type LookedThrough, lookedThrough } from "./admit.ts";
