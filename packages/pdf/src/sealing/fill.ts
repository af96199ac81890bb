import { bufferOf } from "@rubrica/pdf-reading/bytes";
import type { Prepared } from "./field.ts";

/** Puts a signature into its place, in lower-case hex, the rest zeros. Throws when it is too long. */
export const fill = ({ bytes, contentsOffset, contentsBytes }: Prepared, signature: Uint8Array): void => {
  if (signature.length > contentsBytes) throw new SignatureTooLong(signature.length);
  bufferOf(bytes).write(Buffer.from(signature).toString("hex"), contentsOffset, "latin1");
};

/** Fewer bytes were reserved for a signature than it has. */
export class SignatureTooLong extends Error {
  override name = "SignatureTooLong";
  readonly neededBytes: number;

  constructor(neededBytes: number) {
    super(`a signature needs ${neededBytes} bytes`);
    this.neededBytes = neededBytes;
  }
}
