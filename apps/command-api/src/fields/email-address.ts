import { z } from "zod";

/** RFC 5321, 4.5.3.1.3. */
const MAX_LENGTH = 254;
const NO_ADDRESS = "is no e-mail address: it is not used";
const Address = z.email().max(MAX_LENGTH);

/** The e-mail address that a field holds; null when it holds none. It is taken in ASCII, as every mail server does. */
export const emailAddressOf = (field: unknown): string | null => {
  const { data } = Address.safeParse(typeof field === "string" ? field.trim() : undefined);
  return data ?? null;
};

/** A field for an e-mail address, parsed. */
export interface EmailField {
  address: string | null;
  /** What is odd about the field; undefined for one that is left empty, and for an address. */
  doubt: string | undefined;
}

/** What is odd about a field for an e-mail address; undefined for one that is left empty, and for an address. */
export const emailDoubt = (field: unknown): string | undefined => {
  const isEmpty = field === undefined || field === null || field === "";
  return isEmpty || emailAddressOf(field) !== null ? undefined : NO_ADDRESS;
};

/** A field for an e-mail address that takes anything: what is none is told, and not used. */
export const emailField = z
  .unknown()
  .optional()
  .meta({ type: "string", format: "email", description: "Used where the phone can't be reached" })
  .transform((field): EmailField => {
    const address = emailAddressOf(field);
    return { address, doubt: address === null ? emailDoubt(field) : undefined };
  });
