/** Bytes as ASCIIHex (ISO 32000-2, 7.4.2), with the mark that ends them: nothing in them looks like PDF. */
export const asciiHex = (bytes: Uint8Array): Buffer => Buffer.from(`${Buffer.from(bytes).toString("hex")}>`, "latin1");

/** What ASCIIHex stands for; white space is passed over, and what is no digit ends it. */
export const fromAsciiHex = (data: Uint8Array): Uint8Array => {
  const digits =
    /^[\da-fA-F]*/.exec(
      Buffer.from(data)
        .toString("latin1")
        .replace(/[\0\t\n\f\r ]/g, ""),
    )?.[0] ?? "";
  return new Uint8Array(Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, "hex"));
};
