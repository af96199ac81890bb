/** What anybody may know of the service. */
export interface Welcome {
  service: string;
  reference: string;
  /** Null where signers have phones of their own. */
  simulator: string | null;
  verification: string;
  /** What does not work on this machine, and what to do; null when all does. */
  missing: string | null;
}

/** The welcome of a service that is reached at `url`; its simulator may be elsewhere, or null. */
export const welcomeOf = (url: string, simulatorUrl: string | null, missing?: string): Welcome => ({
  service: url,
  reference: `${url}/reference`,
  simulator: simulatorUrl && `${simulatorUrl}/simulator`,
  verification: `${url}/verify`,
  missing: missing ?? null,
});
