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
  type Outbound,
  type OutboundAnswer,
  OutboundFailed,
  type OutboundFailure,
  type OutboundOptions,
  type OutboundRequest,
  type ResolvedAddress,
} from "./outbound.ts";
export { createOwnService, type OwnService, type OwnServiceOptions, type OwnServiceRequest } from "./own-service.ts";
export { isPublicAddress } from "./public-address.ts";
export { retryAfterMs } from "./retry-after.ts";
