import { ConversionFailed, type ConversionFailure, DocxRefused, type Variables } from "@rubrica/docx";
import { HelpersBusy } from "@rubrica/helpers";
import { BadRequestError, type Fault, HttpError } from "@rubrica/http";
import { askedFor, PdfRefused, type Placement } from "@rubrica/pdf";
import type { CommandApiDependencies } from "../dependencies.ts";

const FIELDS = { pages: "page", x: "position_x", y: "position_y" } as const;

/** A template, and what its first row makes of it. */
export interface ToProve {
  template: Uint8Array;
  variables: Variables;
  placement: Placement;
  /** Who it is done for. */
  caller: string;
}

/** Failures that the document itself causes: they would come again with each attempt. */
const OWN_FAULTS: readonly ConversionFailure[] = ["unreadable", "too_large", "hung", "empty"];

const documentFault = (message: string) => new BadRequestError([{ path: "document", message }]);

/**
 * Prepares the first row on trial, so that what is wrong with the template, or with the signature's place on it, is told
 * before anything is stored. Gives what is odd about it.
 * @throws {BadRequestError} when the template can't be used, or the signature would be off a page.
 * @throws {HttpError} 503 when there is no office program. @throws {HelpersBusy} when too much is being done.
 */
export const proveTemplate = async (
  { pdf, docx: { templates, converter } }: Pick<CommandApiDependencies, "pdf" | "docx">,
  { template, variables, placement, caller }: ToProve,
): Promise<Fault[]> => {
  try {
    await templates.inspect(template, caller);
    if (!converter) throw new HttpError(503, { error: "DOCX can't be converted: no office program is installed here" });
    const { docx: filled, unmatched } = await templates.fill(template, variables, caller);
    const converted = await converter.convert(filled, caller);
    const { faults } = await pdf.admitAndPlace(converted, { ...askedFor([placement]), title: "" }, caller);
    const told = faults.map(({ field, message }): Fault => ({ path: `firmante.${FIELDS[field]}`, message }));
    if (told.length > 0) throw new BadRequestError(told);
    return unmatched.map((name) => ({ path: "document", message: `has {${name}}, which is no field of df[0]` }));
  } catch (error) {
    throw toAnswer(error);
  }
};

const toAnswer = (error: unknown): unknown => {
  if (error instanceof DocxRefused) return documentFault(`can't be used: ${error.message}`);
  if (error instanceof PdfRefused) return documentFault("can't be used: its PDF can't be signed");
  if (!(error instanceof ConversionFailed)) return error;
  if (OWN_FAULTS.includes(error.reason)) return documentFault("can't be used: it can't be converted to PDF");
  return new HelpersBusy("DOCX can't be converted for now", { cause: error });
};
