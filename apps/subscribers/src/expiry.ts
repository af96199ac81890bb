import { type Handlers, releaseTurnIfDue, stepOf } from "@rubrica/commands";
import { expireDocument, requestedDocument } from "@rubrica/domain";
import { contextOf, type Subscriber } from "./subscriber.ts";

const CONCURRENCY = 16;

/** Ends documents whose time is over, and frees their phones. */
export const expirySubscriber = (handlers: Handlers): Subscriber => ({
  kind: "expire",
  concurrency: CONCURRENCY,
  async meet(published) {
    const { documentId } = published;
    const context = contextOf(published, "expiry");
    const { state } = await handlers.documents.handle(documentId, expireDocument, undefined, stepOf(context, "expire"));
    for (const { signerId } of requestedDocument(state).signers) {
      await releaseTurnIfDue(handlers, documentId, signerId, context);
    }
  },
});
