import type { Position } from "@rubrica/event-store";
import type { ReadModelDocument, StoredDocument } from "../port.ts";

/** A position as 16 bytes that sort as positions do. */
export const positionToBytes = ({ commit, prepare }: Position): Buffer => {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeBigUInt64BE(commit, 0);
  bytes.writeBigUInt64BE(prepare, 8);
  return bytes;
};

/** Reads what {@link positionToBytes} wrote. */
export const positionFromBytes = (bytes: Uint8Array): Position => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { commit: view.getBigUint64(0), prepare: view.getBigUint64(8) };
};

/** The id and position of a row of the records. */
export const storedOf = (row: Record<string, unknown>) => ({
  id: row.id as string,
  position: positionFromBytes(row.position as Uint8Array),
});

/** The same with its document, which is not a removed one. */
export const documentOf = <D extends ReadModelDocument>(row: Record<string, unknown>): StoredDocument<D> => ({
  ...storedOf(row),
  document: JSON.parse(row.document as string) as D,
});
