import type { AppendReq, AppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { Metadata, status } from "@grpc/grpc-js";
import type { EventStore, StreamEnd } from "@rubrica/event-store";
import { empty, nameIn, textOf } from "./messages.ts";
import { type Appended, appendTo, type Expected, MAX_APPEND_SIZE, type ProposedEvent } from "./storage.ts";

interface Proposed {
  getId(): { getString(): string } | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
}

export const proposedEvent = (message: Proposed): ProposedEvent => ({
  id: textOf(message.getId()),
  type: message.getMetadataMap().get("type") ?? "",
  contentType: message.getMetadataMap().get("content-type") ?? "",
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

/** What a call ends with in place of an answer; the client tells its kind by the trailers. */
export class CallFailure extends Error {
  readonly code: status;
  readonly details: string;
  readonly metadata = new Metadata();

  constructor(code: status, details: string, trailers: Readonly<Record<string, string>> = {}) {
    super(details);
    this.code = code;
    this.details = details;
    for (const [name, value] of Object.entries(trailers)) this.metadata.set(name, value);
  }
}

const expectedIn = (options: AppendReq.Options): Expected => {
  if (options.hasNoStream()) return "no_stream";
  if (options.hasAny()) return "any";
  if (options.hasStreamExists()) return "stream_exists";
  return BigInt(options.getRevision());
};

const successOf = ({ revision, position }: StreamEnd) => {
  const place = new streams.AppendResp.Position();
  place.setCommitPosition(position.commit.toString());
  place.setPreparePosition(position.prepare.toString());
  const success = new streams.AppendResp.Success();
  success.setCurrentRevision(revision.toString());
  success.setPosition(place);
  return success;
};

const wrongExpectedOf = (expected: Expected, current: bigint | "no_stream") => {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (current === "no_stream") wrong.setCurrentNoStream(empty());
  else wrong.setCurrentRevision(current.toString());
  if (expected === "no_stream") wrong.setExpectedNoStream(empty());
  else if (expected === "stream_exists") wrong.setExpectedStreamExists(empty());
  else if (expected === "any") wrong.setExpectedAny(empty());
  else wrong.setExpectedRevision(expected.toString());
  return wrong;
};

const answerOf = (appended: Appended, expected: Expected): AppendResp => {
  const answer = new streams.AppendResp();
  switch (appended.outcome) {
    case "appended":
      return answer.setSuccess(successOf(appended.end)) ?? answer;
    case "wrong_expected_revision":
      return answer.setWrongExpectedVersion(wrongExpectedOf(expected, appended.current)) ?? answer;
    case "too_large":
      throw new CallFailure(status.INVALID_ARGUMENT, `Maximum Append Size of ${MAX_APPEND_SIZE} Exceeded.`, {
        exception: "maximum-append-size-exceeded",
        "maximum-append-size": String(MAX_APPEND_SIZE),
      });
    case "invalid":
      throw new CallFailure(status.INVALID_ARGUMENT, appended.reason);
  }
};

/** The unary append: options first, then event by event. @throws {CallFailure} */
export const append = async (store: EventStore, requests: AsyncIterable<AppendReq>): Promise<AppendResp> => {
  let options: AppendReq.Options | undefined;
  const events: ProposedEvent[] = [];
  for await (const request of requests) {
    const proposed = request.getProposedMessage();
    options ??= request.getOptions();
    if (proposed) events.push(proposedEvent(proposed));
  }
  if (!options) throw new CallFailure(status.INVALID_ARGUMENT, "an append begins with its options");
  const expected = expectedIn(options);
  return answerOf(await appendTo(store, nameIn(options.getStreamIdentifier()), expected, events), expected);
};
