// The checking of PDFs in a process of its own.
import { openRecords } from "@rubrica/engines";
import { runProcess, startApp } from "@rubrica/hosting";
import { openSigning } from "@rubrica/hosting/shared";
import { openVerifyWeb } from "./app.ts";

await runProcess(
  startApp({
    name: "verify-web",
    engines: openRecords,
    seals: true,
    open: async (host) => openVerifyWeb(host, { signing: await openSigning(host) }),
  }),
);
