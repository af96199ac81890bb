import { configFrom } from "@rubrica/config";
import { signingLinkBase } from "@rubrica/messaging";
import { templateDefinitions } from "@rubrica/messaging/whatsapp";
import { eventually } from "@rubrica/test-kit";
import { type TakenMessage, type WhatsAppDouble, waIdOf } from "@rubrica/test-kit/whatsapp-double";

/** Has Meta's double know the templates that a service at `publicUrl` sends. */
export const approveTemplates = (double: WhatsAppDouble, publicUrl: string): void => {
  const { whatsapp } = configFrom(double.environment);
  if (!whatsapp) throw new Error("the double's variables name no WhatsApp");
  for (const one of templateDefinitions(whatsapp.templates, signingLinkBase(publicUrl))) double.approve(one);
};

/** The message to the phone that fits, as soon as it was taken. */
export const takenFor = (
  double: WhatsAppDouble,
  phone: string,
  fits: (message: TakenMessage) => boolean,
): Promise<TakenMessage> =>
  eventually("a WhatsApp message", () =>
    double.taken.find((message) => waIdOf(message.to) === waIdOf(phone) && fits(message)),
  );
