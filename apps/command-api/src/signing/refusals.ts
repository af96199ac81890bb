import { DomainError, type DomainErrorCode } from "@rubrica/domain";
import { HttpError } from "@rubrica/http";
import { replacedBody } from "./session.ts";

const answers = {
  unknown_document: { status: 404, error: "Unknown signing link" },
  unknown_signer: { status: 404, error: "Unknown signing link" },
  link_replaced: { status: 410, error: replacedBody.error },
  document_ended: { status: 409, error: "The document has ended" },
  document_changed: { status: 409, error: "The document is not the one that was shown" },
  document_being_prepared: { status: 409, error: "The document is being prepared" },
  photos_missing: { status: 409, error: "Photos are missing" },
  photos_not_requested: { status: 409, error: "The document asks for no photos" },
  too_many_photos: { status: 409, error: "This photo was sent too often" },
  already_signed: { status: 409, error: "The document is signed already" },
} satisfies Partial<Record<DomainErrorCode, { status: number; error: string }>>;

/** The body that tells a signer of a refusal. */
export const refusalOf = (code: keyof typeof answers): { error: string; code: string } => ({
  error: answers[code].error,
  code,
});

const isTold = (code: DomainErrorCode): code is keyof typeof answers => code in answers;

/** A refused command of a signer's, as an answer; anything else goes on as it came. */
export const toAnswer = (error: unknown): unknown => {
  return error instanceof DomainError && isTold(error.code)
    ? new HttpError(answers[error.code].status, refusalOf(error.code))
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
