// The signers' page in a process of its own.
import { openNoEngines } from "@rubrica/engines";
import { runProcess, startApp } from "@rubrica/hosting";
import { openSigningWeb } from "./app.ts";

await runProcess(startApp({ name: "signing-web", engines: openNoEngines, open: async (host) => openSigningWeb(host) }));
