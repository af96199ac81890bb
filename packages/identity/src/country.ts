const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** Whether there is a country with this ISO 3166-1 alpha-2 code, in any case. */
export const isCountry = (code: string): boolean =>
  /^[a-z]{2}$/i.test(code) && code.toUpperCase() !== "ZZ" && regions.of(code.toUpperCase()) !== undefined;
