/** A moment (UTC in ISO 8601) as the clock and the calendar of a time zone (IANA) have it, in the language of the messages. */
export const untilIn = (timeZone: string, at: string): string => {
  const said = new Intl.DateTimeFormat("es", { dateStyle: "long", timeStyle: "short", timeZone });
  const zone = new Intl.DateTimeFormat("es", { timeZoneName: "shortOffset", timeZone })
    .formatToParts(Date.parse(at))
    .find(({ type }) => type === "timeZoneName");
  // CLDR has one form for all hours.
  const text = said.format(Date.parse(at)).replace(" a las 1:", " a la 1:");
  return `${text} (${zone?.value.replace(/\+0$/, "") ?? timeZone})`;
};
