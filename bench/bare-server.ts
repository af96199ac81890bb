// What the service's speed is held against: Fastify that does the least that the job asks for.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fastify } from "fastify";

const folder = process.env.DATA_DIR ?? ".";
const app = fastify({ bodyLimit: 30_000_000 });
let files = 0;

/** Parses the same JSON and makes the bytes durable. */
app.post<{ Body: { document: string } }>("/accept", async ({ body }) => {
  const file = await open(join(folder, `${files++}.pdf`), "wx");
  await file.writeFile(Buffer.from(body.document, "base64"));
  await file.sync();
  await file.close();
  return { accepted: true };
});

/** A fixed answer. */
app.get("/status", async () => ({ is_finished: false, signed_at: null }));

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
process.on("SIGTERM", () => process.exit(0));
