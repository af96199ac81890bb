import shared from "@eventstore/db-client/generated/shared_pb.js";
import status from "@eventstore/db-client/generated/status_pb.js";
import type { BatchAppendReq, BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { EventStore, StreamEnd } from "@rubrica/event-store";
import any from "google-protobuf/google/protobuf/any_pb.js";
import google from "google-protobuf/google/protobuf/empty_pb.js";
import { proposedEvent } from "./appending.ts";
import { nameIn, textOf } from "./messages.ts";
import { type Appended, appendTo, type Expected, MAX_APPEND_SIZE, type ProposedEvent } from "./storage.ts";

/** Some events of an append whose last ones have not come yet. */
interface Pending {
  options: BatchAppendReq.Options;
  events: ProposedEvent[];
}

const expectedIn = (options: BatchAppendReq.Options): Expected => {
  if (options.hasNoStream()) return "no_stream";
  if (options.hasAny()) return "any";
  if (options.hasStreamExists()) return "stream_exists";
  return BigInt(options.getStreamPosition());
};

const successOf = ({ revision, position }: StreamEnd) => {
  const place = new shared.AllStreamPosition();
  place.setCommitPosition(position.commit.toString());
  place.setPreparePosition(position.prepare.toString());
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(revision.toString());
  success.setPosition(place);
  return success;
};

const wrongExpectedOf = (expected: Expected, current: bigint | "no_stream") => {
  const wrong = new shared.WrongExpectedVersion();
  if (current === "no_stream") wrong.setCurrentNoStream(new google.Empty());
  else wrong.setCurrentStreamRevision(current.toString());
  if (expected === "no_stream") wrong.setExpectedNoStream(new google.Empty());
  else if (expected === "stream_exists") wrong.setExpectedStreamExists(new google.Empty());
  else if (expected === "any") wrong.setExpectedAny(new google.Empty());
  else wrong.setExpectedStreamPosition(expected.toString());
  return wrong;
};

const errorOf = (name: string, message: { serializeBinary(): Uint8Array }) => {
  const details = new any.Any();
  details.pack(message.serializeBinary(), `event_store.client.${name}`);
  const error = new status.Status();
  error.setMessage(name);
  error.setDetails(details);
  return error;
};

const answerOf = (request: BatchAppendReq, options: BatchAppendReq.Options, appended: Appended): BatchAppendResp => {
  const answer = new streams.BatchAppendResp();
  answer.setCorrelationId(request.getCorrelationId());
  // What is no append at all is answered without its stream, which is what the client does not expect.
  if (appended.outcome === "invalid") return answer.setError(new status.Status()) ?? answer;
  answer.setStreamIdentifier(options.getStreamIdentifier());
  if (appended.outcome === "appended") answer.setSuccess(successOf(appended.end));
  else if (appended.outcome === "too_large") {
    const tooLarge = new shared.MaximumAppendSizeExceeded();
    tooLarge.setMaxappendsize(MAX_APPEND_SIZE);
    answer.setError(errorOf("MaximumAppendSizeExceeded", tooLarge));
  } else answer.setError(errorOf("WrongExpectedVersion", wrongExpectedOf(expectedIn(options), appended.current)));
  return answer;
};

/** The appends of one connection: each ends with the part that says it is final, and is answered when it is stored. */
export class BatchAppends {
  readonly #store: EventStore;
  readonly #pending = new Map<string, Pending>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** The answer, when this was an append's last part. */
  async take(request: BatchAppendReq): Promise<BatchAppendResp | undefined> {
    const id = textOf(request.getCorrelationId());
    const options = this.#pending.get(id)?.options ?? request.getOptions();
    if (!options) return undefined;
    const pending = this.#pending.get(id) ?? { options, events: [] };
    this.#pending.set(id, pending);
    pending.events.push(...request.getProposedMessagesList().map(proposedEvent));
    if (!request.getIsFinal()) return undefined;
    this.#pending.delete(id);
    const stream = nameIn(options.getStreamIdentifier());
    return answerOf(request, options, await appendTo(this.#store, stream, expectedIn(options), pending.events));
  }
}
