// Writes src/openapi.ts anew: `node packages/client/generate.ts`, after the API's description changed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { typesOfService } from "./types-of-service.ts";

using folder = temporaryFolder();
await using service = await startServiceProcess({ dataDir: folder.path });
writeFileSync(join(import.meta.dirname, "src", "openapi.ts"), await typesOfService(service.url));
