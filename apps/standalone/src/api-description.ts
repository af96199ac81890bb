import type { OpenApiOptions } from "@rubrica/http";
import { describedWebhooks } from "@rubrica/outbound/webhooks";

/** What the API's reference says before its endpoints, and in which order it has these. */
export const apiDescription: OpenApiOptions = {
  title: "Rubrica",
  description: [
    "Electronic signatures on an event log: ask for a document to be signed, and read what became of it.",
    "Endpoints with a lock take the account's API key in the header `x-api-key` (Authorize); `npm start` prints the demo account's.",
  ].join("\n\n"),
  version: "0.1.0",
  tags: [
    { name: "documents", description: "Ask for signatures, and read what came of them" },
    { name: "bulk", description: "One template, many signers" },
    { name: "analytics", description: "How far signers come" },
    { name: "webhooks", description: "What your `webhook_url` is told" },
    { name: "account", description: "How signers see the account" },
    { name: "verification", description: "Check a PDF; no key" },
    { name: "signing", description: "What the signing page calls; the link's token instead of a key" },
    { name: "operation", description: "For whoever runs the service; no key" },
  ],
  webhooks: describedWebhooks(),
};
