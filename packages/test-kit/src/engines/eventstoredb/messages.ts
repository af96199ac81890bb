import shared from "@eventstore/db-client/generated/shared_pb.js";
import type { ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { Position, RecordedEvent } from "@rubrica/event-store";

const { ReadEvent, Checkpoint, SubscriptionConfirmation, CaughtUp, StreamNotFound } = streams.ReadResp;

export const empty = () => new shared.Empty();

const uuidOf = (id: string) => {
  const uuid = new shared.UUID();
  uuid.setString(id);
  return uuid;
};

/** The text of a UUID that a client sent, which may be none. */
export const textOf = (uuid: { getString(): string } | undefined): string => uuid?.getString() ?? "";

const identifierOf = (stream: string) => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
};

/** The stream that a client named. */
export const nameIn = (identifier: { getStreamName_asU8(): Uint8Array } | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString("utf8");

// What the embedded engine can't read is sent as bytes that nobody can.
const bytesOf = (value: unknown, isDamaged: boolean): Uint8Array =>
  Buffer.from(isDamaged ? '{"torn' : JSON.stringify(value));

export const eventMessage = (event: RecordedEvent): ReadResp => {
  const recorded = new ReadEvent.RecordedEvent();
  recorded.setId(uuidOf(event.id));
  recorded.setStreamIdentifier(identifierOf(event.stream));
  recorded.setStreamRevision(event.revision.toString());
  recorded.setCommitPosition(event.position.commit.toString());
  recorded.setPreparePosition(event.position.prepare.toString());
  recorded.getMetadataMap().set("type", event.type).set("content-type", "application/json");
  recorded.setData(bytesOf(event.data, /\bdata\b/.test(event.damage ?? "")));
  recorded.setCustomMetadata(bytesOf(event.metadata, /\bmetadata\b/.test(event.damage ?? "")));
  const read = new ReadEvent();
  read.setEvent(recorded);
  read.setCommitPosition(event.position.commit.toString());
  const message = new streams.ReadResp();
  message.setEvent(read);
  return message;
};

export const notFoundMessage = (stream: string): ReadResp => {
  const notFound = new StreamNotFound();
  notFound.setStreamIdentifier(identifierOf(stream));
  const message = new streams.ReadResp();
  message.setStreamNotFound(notFound);
  return message;
};

export const confirmationMessage = (id: string): ReadResp => {
  const confirmation = new SubscriptionConfirmation();
  confirmation.setSubscriptionId(id);
  const message = new streams.ReadResp();
  message.setConfirmation(confirmation);
  return message;
};

export const checkpointMessage = ({ commit, prepare }: Position): ReadResp => {
  const checkpoint = new Checkpoint();
  checkpoint.setCommitPosition(commit.toString());
  checkpoint.setPreparePosition(prepare.toString());
  const message = new streams.ReadResp();
  message.setCheckpoint(checkpoint);
  return message;
};

export const caughtUpMessage = (): ReadResp => {
  const message = new streams.ReadResp();
  message.setCaughtUp(new CaughtUp());
  return message;
};
