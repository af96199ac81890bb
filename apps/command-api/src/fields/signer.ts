import { checkIdNumber, sanitizePhone } from "@rubrica/identity";
import { z } from "zod";
import { optional } from "../schemas.ts";
import { emailField } from "./email-address.ts";
import { lineOfText } from "./text.ts";

/** Of a signer, in code points. */
export const MAX_NAME_LENGTH = 50;
const MAX_COORDINATE = 100_000;

/** A phone, which becomes its digits. */
export const phone = z.string().transform((raw, context) => {
  const result = sanitizePhone(raw);
  if (result.ok) return result.phone;
  context.addIssue({ code: "custom", message: result.message });
  return z.NEVER;
});

const coordinate = z.int().min(0).max(MAX_COORDINATE);

/** Where a signature is to go. */
const placementFields = {
  position_x: optional(coordinate).describe("Pixels (72 per inch) from the page's left edge"),
  position_y: optional(coordinate).describe("Pixels (72 per inch) from the page's top edge"),
  page: optional(z.int().min(1)).describe(
    "Page of the signature, from 1; the last when left out. Without coordinates the signature stands where the page is " +
      "free, from its bottom left; without a page either, on a page before when the last one has no room, then on a page " +
      "that is added for signatures",
  ),
};

/** The fields of a signer that say where their signature is to go, apart from the rest. */
export const PlacementFields = z.object({
  ...placementFields,
  /** Decides who comes first; what is wrong with it is not these fields' fault. */
  position: optional(z.string()).catch(undefined),
});

/** A check over several fields that runs whatever the others are like, so that all faults are named at once. */
const whenSound = (...fields: string[]) => ({
  when: ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path = [] }) => path.length === 0 || fields.includes(String(path[0]))),
});

const fields = z.object({
  name: lineOfText(MAX_NAME_LENGTH).describe("At most 50 characters, all of them printable"),
  dni: z.string().describe("Identity document number"),
  dni_country: optional(z.string().max(20)).describe("ISO country code; AR, UY, CL and MX have rules of their own"),
  phone: phone.describe("International format"),
  email: emailField,
  position: optional(z.string().max(20)).describe(
    "Place in the signing order: those who are given the same one are asked together, those without one last, one after the other",
  ),
  ...placementFields,
});

/** The names of a signer's fields. */
export const signerFields: readonly string[] = Object.keys(fields.shape);

/** The signer's ID number by the rules of its country, else of the phone's. */
const idNumberOf = ({ dni, dni_country: country, phone }: z.output<typeof fields>) =>
  checkIdNumber({ idNumber: dni, phone, country });

/** A signer, with their ID number as `idNumber`, by the rules of its country. */
export const SignerInput = fields
  .superRefine(
    ({ position_x: x, position_y: y }, context) => {
      const missing = x === undefined ? "position_x" : "position_y";
      if ((x === undefined) === (y === undefined)) return;
      context.addIssue({ code: "custom", path: [missing], message: "position_x and position_y go together" });
    },
    whenSound("position_x", "position_y"),
  )
  .superRefine(
    (signer, context) => {
      const idNumber = idNumberOf(signer);
      if (!idNumber.ok) context.addIssue({ code: "custom", path: ["dni"], message: idNumber.message });
    },
    whenSound("dni", "dni_country", "phone"),
  )
  .transform((signer) => {
    const idNumber = idNumberOf(signer);
    // Not reached with a faulty one, which was told above, beside what is wrong with other fields.
    return idNumber.ok ? { ...signer, idNumber } : z.NEVER;
  });

/** A parsed signer. */
export type SignerInput = z.output<typeof SignerInput>;
/** Where a signer's signature is to go, as far as the request says. */
export type PlacementInput = z.output<typeof PlacementFields>;
