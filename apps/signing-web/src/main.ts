// The signers' page in a process of its own.

import { runProcess, startApp } from "@rubrica/hosting";
import { openNoEngines } from "@rubrica/open-engines";
import { openSigningWeb } from "./app.ts";

await runProcess(startApp({ name: "signing-web", engines: openNoEngines, open: async (host) => openSigningWeb(host) }));
