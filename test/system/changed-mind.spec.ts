import { idsFrom, systemRandom } from "@rubrica/runtime";
import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { askedOn, linkFor, templateFor } from "../support/messages.ts";
import { serviceInProcess } from "../support/service.ts";
import { TravelClock } from "../support/travel-clock.ts";

const HOUR_MS = 3_600_000;

/** The service with a clock that hours pass on. */
const travelling = async () => {
  const clock = new TravelClock(Date.UTC(2027, 0, 4, 15));
  const service = await serviceInProcess({
    runtime: { clock, random: systemRandom, ids: idsFrom(clock, systemRandom) },
  });
  return { clock, service, client: service.client };
};

test("who refuses after having continued frees the phone after 72 hours, is not reminded, and gets the link again", async () => {
  const { clock, service, client } = await travelling();
  await using _ended = service;
  const pdf = await samplePdf();
  const signer = sampleSigner(1);
  const reminders = { after_hours: 24, every_hours: 24, max: 5 };
  const first = await client.requestDocument(pdf, [signer], { document_name: "First document", reminders });
  await client.requestDocument(pdf, [signer], { document_name: "Second document" });
  const link = first.urls[0]?.link ?? "";
  const asked = await templateFor(client, signer.phone, "First document");
  await client.press(asked.id, "continue");
  await linkFor(client, signer.phone, link);
  clock.passes(HOUR_MS);
  await client.press(asked.id, "no_continue");
  await eventually("what follows from it", async () =>
    (await client.messagesTo(signer.phone)).some(({ text }) =>
      text.includes("su enlace para firmarlo sigue sirviendo"),
    ),
  );
  clock.passes(71 * HOUR_MS);
  expect(await askedOn(client, signer.phone)).toBe(1);
  clock.passes(HOUR_MS);
  await templateFor(client, signer.phone, "Second document");
  const links = async () => (await client.messagesTo(signer.phone)).filter((message) => message.link === link);
  expect((await links()).length).toBe(1);
  expect(await client.eventNames(first.id_seguimiento)).not.toContain("reminder_sent");
  await client.press(asked.id, "continue");
  await eventually("the link again", async () => (await links()).length === 2);
  await eventually("word of it in the log", async () => {
    const names = await client.eventNames(first.id_seguimiento);
    return names.filter((name) => name === "signature_link_sent").length === 2;
  });
  clock.passes(25 * HOUR_MS);
  await eventually("a reminder", async () => (await client.eventNames(first.id_seguimiento)).includes("reminder_sent"));
  await client.sign(link);
  expect(await client.status(first.id_seguimiento)).toMatchObject({ is_finished: true });
});
