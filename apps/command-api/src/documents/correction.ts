import type { CorrectSigner, RequestedDocument, SignerPerson } from "@rubrica/domain";
import { BadRequestError, type Fault } from "@rubrica/http";
import { checkIdNumber, countryOfPhone, phoneLine } from "@rubrica/identity";
import { phoneLookup } from "@rubrica/secrets";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";
import { emailAddressOf, emailDoubt } from "../fields/email-address.ts";
import { undrawableFaults } from "../fields/names.ts";
import { MAX_NAME_LENGTH, phone } from "../fields/signer.ts";
import { lineOfText } from "../fields/text.ts";
import { optional, type Parsed } from "../schemas.ts";

const fields = {
  name: optional(lineOfText(MAX_NAME_LENGTH)).describe("At most 50 characters, all of them printable"),
  dni: optional(z.string()).describe("Identity document number"),
  dni_country: optional(z.string().max(20)).describe("ISO country code of the identity document"),
  phone: optional(phone).describe("International format"),
  email: optional(z.string().refine((text) => emailDoubt(text) === undefined, "must be an e-mail address")).describe(
    "Used where the phone can't be reached; an empty text takes it away",
  ),
};

/** The fields to correct; what is left out stays as it is. */
export const CorrectionBody = z
  .object(fields)
  .refine((body) => Object.values(body).some((value) => value !== undefined), "must name what is to be corrected")
  .meta({ examples: [{ phone: "+54 9 11 2233-4456" }] });

/** A parsed body, or the valid fields of one. */
type Correction = Partial<z.infer<typeof CorrectionBody>>;

/** The valid fields of a body in which others are invalid. */
const soundIn = (body: unknown): Correction => {
  const given = typeof body === "object" && body !== null ? body : {};
  return Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => [field, schema.safeParse(Reflect.get(given, field)).data]),
  );
};

/** The fields that the check of an ID number needs: it is skipped where one of them is already wrong by itself. */
const OF_ID_NUMBER = ["dni", "dni_country", "phone"];

const IN_DOCUMENT = "can't be corrected: the document of a bulk call holds it";

const idNumberOf = ({ dni, dni_country: given }: Correction, person: SignerPerson, phoneThen: string) => {
  if (dni === undefined && given === undefined) return undefined;
  // A country that was taken from the former phone is taken from the new one, as in a request.
  const kept = person.idNumberCountry === countryOfPhone(person.phone) ? null : person.idNumberCountry;
  const country = given ?? kept;
  return checkIdNumber({
    idNumber: dni ?? person.idNumber,
    phone: phoneThen,
    ...(country === null ? {} : { country }),
  });
};

export interface AskedCorrection {
  parsed: Parsed<Correction>;
  /** Who asks, where work is shared. */
  caller: string;
}

/** What is to be corrected, and what the new phone's line is looked up by; undefined where there is none to be on. */
export interface CheckedCorrection extends Pick<CorrectSigner, "person"> {
  lookup?: string | undefined;
}

/**
 * What a body corrects of a signer of a document.
 * @throws {BadRequestError} naming every fault there is
 */
export const checkedCorrection = async (
  { parsed, caller }: AskedCorrection,
  { accountId, bulk, sendMessages }: RequestedDocument,
  person: SignerPerson,
  { pdf, secrets }: Pick<CommandApiDependencies, "pdf" | "secrets">,
): Promise<CheckedCorrection> => {
  const ofSchema = parsed.ok ? [] : parsed.faults;
  const body = parsed.ok ? parsed.body : soundIn(parsed.given);
  const isWrong = (field: string) => ofSchema.some(({ path }) => path === field);
  const idNumber = OF_ID_NUMBER.some(isWrong) ? undefined : idNumberOf(body, person, body.phone ?? person.phone);
  const faults: Fault[] = [
    ...ofSchema,
    ...(bulk === null ? [] : (["name", "dni", "dni_country"] as const))
      .filter((path) => body[path] !== undefined || isWrong(path))
      .map((path) => ({ path, message: IN_DOCUMENT })),
    ...undrawableFaults(await pdf.undrawable([body.name ?? ""], caller), () => "name"),
    ...(idNumber && !idNumber.ok
      ? [{ path: body.dni === undefined ? "dni_country" : "dni", message: idNumber.message }]
      : []),
  ];
  if (faults.length > 0) throw new BadRequestError(faults);
  const { name, phone: digits, email } = body;
  return {
    person: {
      ...(name === undefined ? {} : { name }),
      ...(idNumber?.ok ? { idNumber: idNumber.idNumber, idNumberCountry: idNumber.country } : {}),
      ...(digits === undefined ? {} : { phone: digits }),
      ...(email === undefined ? {} : { email: emailAddressOf(email) }),
    },
    lookup: digits === undefined || !sendMessages ? undefined : phoneLookup(secrets, accountId, phoneLine(digits)),
  };
};
