// Calls that leave the house, by addresses that others give: only to public addresses, within bounds of size and time.
// It must not know who calls, nor why; what integrators are told is at `/webhooks`.

export {
  createFileFetcher,
  type FileFetcher,
  type FileFetcherOptions,
  FileFetchRefused,
  TooManyFetches,
} from "./file.ts";
export { needsNoMoreAsking } from "./forgetting.ts";
export {
  createOutbound,
  isPrivateLiteral,
  type Outbound,
  type OutboundAnswer,
  OutboundFailed,
  type OutboundFailure,
  type OutboundOptions,
  type OutboundRequest,
} from "./outbound.ts";
export { createOwnService, type OwnService, type OwnServiceOptions, type OwnServiceRequest } from "./own-service.ts";
export { isPublicAddress } from "./public-address.ts";
export { createNameResolver, type NameResolverOptions, type ResolvedAddress } from "./resolve.ts";
export { retryAfterMs } from "./retry-after.ts";
