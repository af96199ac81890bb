import { DomainError, type DomainErrorCode } from "@rubrica/domain";
import { HttpError } from "@rubrica/http";

const answers: Readonly<Partial<Record<DomainErrorCode, { status: number; error: string }>>> = {
  unknown_document: { status: 404, error: "Unknown signing link" },
  unknown_signer: { status: 404, error: "Unknown signing link" },
  document_ended: { status: 409, error: "The document has ended" },
  document_changed: { status: 409, error: "The document is not the one that was shown" },
  document_being_prepared: { status: 409, error: "The document is being prepared" },
  photos_missing: { status: 409, error: "Photos are missing" },
  already_signed: { status: 409, error: "The document is signed already" },
};

/** A refused command of a signer's, as an answer; anything else goes on as it came. */
export const toAnswer = (error: unknown): unknown => {
  const answer = error instanceof DomainError ? answers[error.code] : undefined;
  return answer && error instanceof DomainError
    ? new HttpError(answer.status, { error: answer.error, code: error.code })
    : error;
};

/** Does a signer's command. @throws {HttpError} when the domain refuses it. */
export const answering = async <Result>(command: Promise<Result>): Promise<Result> => {
  try {
    return await command;
  } catch (error) {
    throw toAnswer(error);
  }
};
