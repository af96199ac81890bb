/** As long as NATS JetStream remembers message ids by default. */
export const DEDUPE_WINDOW_MS = 2 * 60 * 1000;
/** Messages that wait for each group of a subject. */
export const DEFAULT_MAX_WAITING = 10_000;
/** What was delivered so often in vain is left to its obligation. */
export const MAX_DELIVERIES = 5;
