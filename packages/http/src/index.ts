// What every server shares: who asks, rates, limits of bodies, error bodies, health, logs, the API's description.
// It must not know a route of any app.

export * from "./account-directory.ts";
export * from "./address.ts";
export * from "./auth.ts";
export * from "./bearer.ts";
export * from "./binary.ts";
export * from "./error-bodies.ts";
export * from "./errors.ts";
export * from "./health.ts";
export * from "./logger.ts";
export * from "./openapi.ts";
export * from "./rate-limit.ts";
export { countedBy, countLink, countStranger, type RateLimits } from "./request-counts.ts";
export { type Sender, senderOf } from "./senders.ts";
export * from "./server.ts";
