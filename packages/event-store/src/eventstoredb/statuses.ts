/** What a call ended with, as gRPC has it. */
interface Status {
  code: number;
  details: string;
  metadata: { getMap(): Record<string, unknown>; remove(name: string): void };
}

const UNKNOWN = 2;
const NOT_FOUND = 5;
const UNAVAILABLE = 14;

/** The trailers that the client reads of each exception; where one is missing it throws where nobody can catch it. */
const TRAILERS: Readonly<Record<string, readonly string[]>> = {
  "not-leader": ["leader-endpoint-host", "leader-endpoint-port"],
  "stream-deleted": ["stream-name"],
  "wrong-expected-version": ["stream-name", "expected-version"],
  "maximum-append-size-exceeded": ["maximum-append-size"],
  "missing-required-metadata-property": ["required-metadata-properties"],
};

/** What a member says that can't serve now; another one may. The client looks for one only after "unavailable". */
const isAway = ({ code, details }: Status): boolean =>
  (code === NOT_FOUND && details.startsWith("Leader info available")) ||
  (code === UNKNOWN && /^(No leader info available|Server Is Not Ready)/.test(details));

/** Whether all trailers of the exception are there, and name a leader where they are to. */
const isWhole = (exception: string, trailers: Record<string, unknown>): boolean => {
  if (!(TRAILERS[exception] ?? []).every((name) => trailers[name] !== undefined)) return false;
  if (exception !== "not-leader") return true;
  // While it does not know who leads, a member may leave the address empty: nothing answers there.
  return trailers["leader-endpoint-host"] !== "" && Number(trailers["leader-endpoint-port"]) > 0;
};

/**
 * The status as the client can take it: without an exception whose trailers are missing, and "unavailable" where the
 * member does not lead, does not say who does, or is not ready.
 */
export const readableStatus = <T extends Status>(status: T): T => {
  const trailers = status.metadata.getMap();
  const exception = String(trailers.exception ?? "");
  if (exception !== "" && isWhole(exception, trailers)) return status;
  status.metadata.remove("exception");
  return exception === "not-leader" || isAway(status) ? { ...status, code: UNAVAILABLE } : status;
};
