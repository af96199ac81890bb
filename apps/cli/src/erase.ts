import { eraseDocument } from "@rubrica/commands";
import { requestedDocument } from "@rubrica/domain";
import type { Command } from "commander";
import { uuid } from "./options.ts";
import { textOf } from "./output.ts";
import { type Surroundings, withStoredSession } from "./session.ts";

const CONFIRMATION =
  "It names nobody any more: its key is destroyed and its files are removed, for good. The service asks providers that can to forget it too. What else was sent to others before, and backups from before, are not reached.";

/** `erase`. */
export const eraseCommand = (program: Command, surroundings: Surroundings): void => {
  program
    .command("erase")
    .description(
      "forget a document's people for good: its names, numbers, texts, photos and files; an open one is ended",
    )
    .requiredOption("--document <id>", "the document's id (id_seguimiento)", uuid)
    .option("--json", "print one line of JSON")
    .action(async ({ document: documentId, json = false }: { document: string; json?: boolean }) => {
      await withStoredSession(surroundings, async ({ handlers, keys, files, runtime, customIdHmac, contextFor }) => {
        const { accountId } = requestedDocument(await handlers.documents.load(documentId));
        const stores = { handlers, keys, files, runtime, customIdHmac };
        const { status } = await eraseDocument(stores, documentId, "requested", contextFor(accountId));
        await surroundings.print(textOf({ document_id: documentId, status, erased: true }, json));
        if (!json) await surroundings.print(CONFIRMATION);
      });
    });
};
