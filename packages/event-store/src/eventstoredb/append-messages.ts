import shared from "@eventstore/db-client/generated/shared_pb.js";
import type { AppendReq, AppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { AppendResult, ExpectedRevision } from "../port.ts";
import type { PreparedAppend, StoredForm } from "../prepare-append.ts";

/** What the server answers: where the events stand, or where the stream is instead of where it was expected. */
export type AppendAnswer =
  | { outcome: "appended"; revision: bigint; position: AppendResult["position"] | undefined }
  | { outcome: "conflict"; actual: ExpectedRevision };

const eventMessage = ({ id, type, data, metadata }: StoredForm): AppendReq => {
  const uuid = new shared.UUID();
  uuid.setString(id);
  const proposed = new streams.AppendReq.ProposedMessage();
  proposed.setId(uuid);
  proposed.getMetadataMap().set("type", type).set("content-type", "application/json");
  proposed.setData(Buffer.from(data));
  proposed.setCustomMetadata(Buffer.from(metadata));
  const message = new streams.AppendReq();
  message.setProposedMessage(proposed);
  return message;
};

/** The messages of one append: its options, then event by event. */
export const appendMessages = ({ stream, expected, events }: PreparedAppend): AppendReq[] => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(identifier);
  if (expected === "no_stream") options.setNoStream(new shared.Empty());
  else options.setRevision(expected.toString());
  const header = new streams.AppendReq();
  header.setOptions(options);
  return [header, ...events.map(eventMessage)];
};

export const answerIn = (message: AppendResp): AppendAnswer => {
  const wrong = message.getWrongExpectedVersion();
  if (wrong) {
    const actual = wrong.hasCurrentRevision() ? BigInt(wrong.getCurrentRevision()) : "no_stream";
    return { outcome: "conflict", actual };
  }
  const success = message.getSuccess();
  const position = success?.getPosition();
  return {
    outcome: "appended",
    revision: BigInt(success?.getCurrentRevision() ?? 0),
    position: position && {
      commit: BigInt(position.getCommitPosition()),
      prepare: BigInt(position.getPreparePosition()),
    },
  };
};
