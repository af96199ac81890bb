export {
  createFileFetcher,
  type FileFetcher,
  type FileFetcherOptions,
  FileFetchRefused,
  TooManyFetches,
} from "./file.ts";
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
export { isPublicAddress } from "./public-address.ts";
