import type { Fault } from "@rubrica/http";
import { isoTime } from "@rubrica/runtime";
import { z } from "zod";
import { optional } from "../schemas.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 3_650;

/** A moment, with the offset of its clock from UTC. */
export const Moment = z.iso.datetime({
  offset: true,
  error: "must be ISO 8601 with an offset, as 2027-01-31T18:00:00-03:00",
});

/** The fields of a request that say until when it can be signed. */
export const expiryFields = {
  expires_at: optional(Moment).describe(
    "Until when it can be signed, ISO 8601 with an offset; for as long as it takes when left out",
  ),
  expires_in_days: optional(z.int().min(1).max(MAX_DAYS)).describe("The same, in days from now"),
};

/** What they say, as far as they were parsed. */
export interface ExpiryInput {
  expires_at?: unknown;
  expires_in_days?: unknown;
}

/** What is wrong with a moment as the end of a document's time. `now`: milliseconds since the UNIX epoch. */
export const momentFault = (moment: string, now: number): string | undefined => {
  const at = Date.parse(moment);
  if (at <= now) return "must lie in the future";
  return at > now + MAX_DAYS * DAY_MS ? `must lie at most ${MAX_DAYS} days ahead` : undefined;
};

/** What is wrong with them but for their form. */
export const expiryFaults = ({ expires_at: moment, expires_in_days: days }: ExpiryInput, now: number): Fault[] => {
  if (typeof moment !== "string" || !Moment.safeParse(moment).success) return [];
  if (typeof days === "number") return [{ path: "expires_in_days", message: "must not stand beside expires_at" }];
  const message = momentFault(moment, now);
  return message === undefined ? [] : [{ path: "expires_at", message }];
};

/** Until when a document can be signed, UTC in ISO 8601: what the request says, else its campaign; null: it has no end. */
export const expiryOf = (
  { expires_at: moment, expires_in_days }: { expires_at?: string | undefined; expires_in_days?: number | undefined },
  campaign: { expiresInDays: number | null } | null,
  now: number,
): string | null => {
  if (moment !== undefined) return isoTime(Date.parse(moment));
  const days = expires_in_days ?? campaign?.expiresInDays ?? null;
  return days === null ? null : isoTime(now + days * DAY_MS);
};
