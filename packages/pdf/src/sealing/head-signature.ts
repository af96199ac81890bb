import { type CommittedHead, statementBytes, statementOf } from "@rubrica/events";
import { type CheckedStatement, checkStatement } from "./statement.ts";

/**
 * Checks who signed a head of the event log, and that it was at the time and by the certificate that its event says.
 * @param roots certificates (DER)
 * @throws {InvalidSignature}
 */
export const checkHead = (head: CommittedHead, roots: readonly Uint8Array[]): CheckedStatement => {
  const cms = Buffer.from(head.signature, "base64");
  return checkStatement(statementBytes(statementOf(head)), { kind: "head", id: head.root }, cms, roots, head);
};

/** Whether heads are signed under one of the roots (DER): whoever can write to the events alone can write others. */
export const headsSignedUnder =
  (roots: readonly Uint8Array[]) =>
  (head: CommittedHead): boolean => {
    try {
      return checkHead(head, roots).trusted;
    } catch {
      return false;
    }
  };
