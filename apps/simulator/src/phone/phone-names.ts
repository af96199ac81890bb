import { createHmac, hkdfSync } from "node:crypto";
import { phoneLine } from "@rubrica/identity";

const KEY_BYTES = 32;

/** Under which names a phone may be found, by the newest key first. Every way to write one line has the same names. */
export type PhoneNames = (phone: string) => [string, ...string[]];

/** @param keys 256 bits each, the newest first. @throws {RangeError} when there is none. */
export const phoneNamesBy = (keys: readonly Buffer[]): PhoneNames => {
  const [newest, ...former] = keys.map((key) => Buffer.from(hkdfSync("sha256", key, "", "lookup", KEY_BYTES)));
  if (!newest) throw new RangeError("a key is needed");
  const nameBy = (key: Buffer, phone: string) => createHmac("sha256", key).update(phoneLine(phone)).digest("hex");
  return (phone) => [nameBy(newest, phone), ...former.map((key) => nameBy(key, phone))];
};
