/**
 * A moment as the clock and the calendar of a time zone (IANA) have it, with its offset from UTC, as the messages say it; of
 * the signer's own one where none is named.
 */
export const timeShown = (at: string, timeZone: string | undefined): string => {
  const shown = new Date(at).toLocaleString("es", { dateStyle: "long", timeStyle: "short", timeZone });
  if (timeZone === undefined) return shown;
  const zone = new Intl.DateTimeFormat("es", { timeZoneName: "shortOffset", timeZone })
    .formatToParts(new Date(at))
    .find(({ type }) => type === "timeZoneName");
  return `${shown} (${zone?.value.replace(/\+0$/, "") ?? timeZone})`;
};
