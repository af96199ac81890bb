export { createHttpIdentityProvider, type HttpIdentityLimits } from "./http/http.ts";
export * from "./port.ts";
export { type IdentitySimulator, openIdentitySimulator } from "./simulator/simulator.ts";
