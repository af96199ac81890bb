import { z } from "zod";

/** RFC 5321, 4.5.3.1.3. */
const MAX_LENGTH = 254;
const Address = z.email().max(MAX_LENGTH);

/** The e-mail address that a field holds; null when it holds none. It is taken in ASCII, as every mail server does. */
export const emailAddressOf = (field: unknown): string | null => {
  const { data } = Address.safeParse(typeof field === "string" ? field.trim() : undefined);
  return data ?? null;
};

/** What is odd about a field for an e-mail address; undefined for one that is left empty, and for an address. */
export const emailDoubt = (field: unknown): string | undefined => {
  const isEmpty = field === undefined || field === null || field === "";
  return isEmpty || emailAddressOf(field) !== null ? undefined : "is no e-mail address: it is not used";
};
