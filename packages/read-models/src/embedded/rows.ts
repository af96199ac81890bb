import type { Position } from "@rubrica/event-store";

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
