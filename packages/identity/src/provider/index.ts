export { createHttpIdentityProvider, type HttpIdentityLimits, type HttpIdentityProviderOptions } from "./http/http.ts";
export * from "./port.ts";
