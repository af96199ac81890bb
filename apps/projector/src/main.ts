// The projector in a process of its own.
import { obligationKinds } from "@rubrica/domain";
import { openEngines } from "@rubrica/engines";
import { runProcess, startApp } from "@rubrica/hosting";
import { openProjector } from "./app.ts";

await runProcess(
  startApp({
    name: "projector",
    engines: openEngines,
    onBus: true,
    open: async (host) => openProjector(host, { kinds: obligationKinds }),
  }),
);
