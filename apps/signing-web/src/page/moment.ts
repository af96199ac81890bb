/**
 * A moment as the clock and the calendar of a time zone (IANA) have it, with its offset from UTC, as the messages say it; of
 * the signer's own one where none is named.
 */
export const timeShown = (at: string, timeZone: string | undefined): string => {
  const said = new Date(at).toLocaleString("es", { dateStyle: "long", timeStyle: "short", timeZone });
  // CLDR has one form for all hours.
  const shown = said.replace(" a las 1:", " a la 1:");
  if (timeZone === undefined) return shown;
  const zone = new Intl.DateTimeFormat("es", { timeZoneName: "shortOffset", timeZone })
    .formatToParts(new Date(at))
    .find(({ type }) => type === "timeZoneName");
  return `${shown} (${zone?.value.replace(/\+0$/, "") ?? timeZone})`;
};
