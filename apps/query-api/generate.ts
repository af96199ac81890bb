// Writes src/pages/openapi.json anew: `node apps/query-api/generate.ts`, after the API's description changed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServiceProcess, temporaryFolder } from "@rubrica/test-kit";

using folder = temporaryFolder();
await using service = await startServiceProcess({ dataDir: folder.path });
const { servers: _, ...described } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { servers: object };
writeFileSync(join(import.meta.dirname, "src", "pages", "openapi.json"), `${JSON.stringify(described, null, 1)}\n`);
