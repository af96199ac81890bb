import { eventually, type RubricaClient, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { picture } from "@rubrica/test-kit/identity/pictures";
import { expect } from "vitest";
import { inspect } from "./inspection.ts";

type Kind = "selfie" | "dni_frontal" | "dni_trasera";
const kinds: readonly Kind[] = ["selfie", "dni_frontal", "dni_trasera"];

interface Overview {
  can_sign: boolean;
  photos: Record<Kind, { state: string; attempt: number; reason: string | null }>;
}
interface LogEntry {
  event: string;
  attempt?: number;
  result?: string;
}

/** A document whose one signer's photos are validated, on a service that may be killed and started anew meanwhile. */
export const requestPhotographed = async ({
  client,
  dataDir,
}: {
  client: RubricaClient;
  dataDir: Parameters<typeof inspect>[0];
}) => {
  const document = await client.requestDocument(await samplePdf(), [sampleSigner(1)], { request_photos: true });
  const id = document.id_seguimiento;
  const link = document.urls[0]?.link ?? "";
  const path = `/api/signing/${new URL(link).pathname.replace(/^\/s\//, "")}`;
  const overview = async () => (await client.read(path)).json<Overview>();
  return {
    id,
    link,
    overview,
    async upload(photos: Partial<Record<Kind, Buffer>>) {
      for (const kind of kinds) {
        const bytes = photos[kind];
        if (!bytes) continue;
        const answer = await client.send("POST", `${path}/photos/${kind}`, bytes, { "content-type": "image/jpeg" });
        expect(answer.status, answer.text).toBe(200);
      }
    },
    /** The photos as they are once the provider has spoken of all of them. */
    validated: () =>
      eventually("the provider's word", async () => {
        const seen = await overview();
        return kinds.every((kind) => ["approved", "rejected"].includes(seen.photos[kind].state)) && seen;
      }),
    log: async () =>
      (await client.read(`/api/eventLogs/${id}`))
        .json<{ events: LogEntry[] }>()
        .events.map(({ event, attempt, result }) => [event, attempt, result].filter(Boolean).join(" ")),
    /** The types of the document's events, once one of this type is among them. */
    eventsUpTo: (type: string) =>
      eventually(type, async () => {
        await using stores = await inspect(dataDir);
        const types = (await stores.events()).filter(({ streamId }) => streamId === id).map((event) => event.type);
        return types.includes(type as (typeof types)[number]) && types;
      }),
  };
};

/** Three photos that the simulated provider approves. */
export const differentPhotos = async () => ({
  selfie: await picture(1),
  dni_frontal: await picture(2),
  dni_trasera: await picture(3),
});
