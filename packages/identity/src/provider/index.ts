export { createHttpIdentityProvider, type HttpIdentityLimits, type HttpIdentityProviderOptions } from "./http/http.ts";
export * from "./port.ts";
export { type IdentitySimulator, openIdentitySimulator } from "./simulator/simulator.ts";
