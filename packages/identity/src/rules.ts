/** What a country's rules say of a sanitized ID number. Messages and warnings never hold the number itself. */
export type Verdict = { ok: true; kind: string; warnings: string[] } | { ok: false; message: string };

/** Judges a sanitized ID number: upper case, no separators, at least one character. */
export type CountryRules = (idNumber: string) => Verdict;

export const valid = (kind: string, warnings: string[] = []): Verdict => ({ ok: true, kind, warnings });

export const invalid = (message: string): Verdict => ({ ok: false, message });

/** Sum of each digit times the weight at its place; as many digits as weights. */
export const weightedSum = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);

/** Whether a number is nothing but zeros: it passes every check digit, and nobody has it. */
export const isAllZeros = (digits: string): boolean => /^0+$/.test(digits);
