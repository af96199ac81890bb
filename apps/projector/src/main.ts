// The projector in a process of its own.
import { obligationKinds } from "@rubrica/domain";
import { runProcess, startApp } from "@rubrica/hosting";
import { openEngines } from "@rubrica/open-engines/stores";
import { openProjector } from "./app.ts";

await runProcess(
  startApp({
    name: "projector",
    engines: openEngines,
    onBus: true,
    open: async (host) => openProjector(host, { kinds: obligationKinds }),
  }),
);
