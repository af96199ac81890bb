import { countryOfPhone, timeZoneOfCountry } from "@rubrica/identity";

/** A moment (UTC in ISO 8601) as the clock and the calendar of a phone's country have it, in the language of the messages. */
export const untilFor = (phone: string, at: string): string => {
  const timeZone = timeZoneOfCountry(countryOfPhone(phone));
  const said = new Intl.DateTimeFormat("es", { dateStyle: "long", timeStyle: "short", timeZone });
  const zone = new Intl.DateTimeFormat("es", { timeZoneName: "shortOffset", timeZone })
    .formatToParts(Date.parse(at))
    .find(({ type }) => type === "timeZoneName");
  return `${said.format(Date.parse(at))} (${zone?.value.replace(/\+0$/, "") ?? timeZone})`;
};
