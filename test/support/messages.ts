import { eventually, type RubricaClient, type SimulatedMessage } from "@rubrica/test-kit";

/** The message with buttons that asks for a document named so, as soon as it is on the phone. */
export const templateFor = (client: RubricaClient, phone: string, documentName: string): Promise<SimulatedMessage> =>
  eventually(`the message that asks for ${documentName}`, async () =>
    (await client.messagesTo(phone)).find(({ buttons, text }) => buttons.length > 0 && text.includes(documentName)),
  );

/** The message with the link, as soon as it is on the phone. */
export const linkFor = (client: RubricaClient, phone: string, link: string): Promise<SimulatedMessage> =>
  eventually("the message with the link", async () =>
    (await client.messagesTo(phone)).find((message) => message.link === link),
  );

/**
 * Waits until the document's log tells of that. A message is on the phone before the service has taken note of it, or of
 * its delivery: what somebody answers at once may be written down before.
 */
export const recorded = (client: RubricaClient, documentId: string, event: string): Promise<true> =>
  eventually(`${event} in the log`, async () => (await client.eventNames(documentId)).includes(event));

/** How many of the documents named have asked on the phone so far. */
export const askedOn = async (client: RubricaClient, phone: string): Promise<number> =>
  (await client.messagesTo(phone)).filter(({ buttons }) => buttons.length > 0).length;
