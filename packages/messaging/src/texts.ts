import type { LinkMessage, NoteMessage, ReminderMessage, TemplateMessage } from "./port.ts";

/** A text with places for values, as the messaging apps register them: `{{1}}`, `{{2}}`… */
export interface MessageTemplate {
  body: string;
}

/** Who asks, for what. Values: the signer's name, the business, the document. Neither starts nor ends with a place, as WhatsApp demands. */
export const REQUEST_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} le envió el documento «{{3}}» para que lo firme electrónicamente. ¿Desea continuar?",
};

/** The same with a campaign's own words. Values: the signer's name, the business, the document, the words. */
export const REQUEST_NOTE_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} le envió el documento «{{3}}» para que lo firme electrónicamente, con este mensaje: «{{4}}». ¿Desea continuar?",
};

/** The first one, of a document whose time ends. Values: the signer's name, the business, the document, until when. */
export const REQUEST_UNTIL_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} le envió el documento «{{3}}» para que lo firme electrónicamente. Puede firmarlo hasta el {{4}}. ¿Desea continuar?",
};

/** The same with a campaign's own words. Values: the signer's name, the business, the document, the words, until when. */
export const REQUEST_NOTE_UNTIL_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} le envió el documento «{{3}}» para que lo firme electrónicamente, con este mensaje: «{{4}}». Puede firmarlo hasta el {{5}}. ¿Desea continuar?",
};

const QUESTION = "¿Desea continuar?";
const LINK_SENTENCES = "Este es su enlace personal para leerlo y firmarlo. No lo comparta: es solo para usted.";
/** What a document whose time ends says of it, where it stands by itself. Value: until when. */
const UNTIL_SENTENCE: MessageTemplate = { body: "Puede firmarlo hasta el {{1}}." };

/** The personal link. Values: the signer's name, the document. */
export const LINK_TEMPLATE: MessageTemplate = {
  body: "Gracias, {{1}}. Este es su enlace personal para leer y firmar «{{2}}». No lo comparta: es solo para usted.",
};

/** The same, of a document whose time ends. Values: the signer's name, the document, until when. */
export const LINK_UNTIL_TEMPLATE: MessageTemplate = {
  body: "Gracias, {{1}}. Este es su enlace personal para leer y firmar «{{2}}» hasta el {{3}}. No lo comparta: es solo para usted.",
};

/** Where the signed copy is. Values: the signer's name, the document. */
export const COPY_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: el documento «{{2}}» ya tiene todas las firmas. En su enlace personal puede descargar su copia firmada.",
};

/** The document was canceled, also for who had signed it. Values: the signer's name, the business, the document. */
export const CANCELED_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} canceló el documento «{{3}}». Ya no se puede firmar, y usted no tiene que hacer nada más.",
};

/**
 * What follows from choosing not to continue: a text, which goes at once, and is no template. Values: the signer's name, the
 * business, the document.
 */
const REFUSAL_TEXT: MessageTemplate = {
  body: "Entendido, {{1}}: por ahora no le enviaremos el enlace para firmar «{{3}}», que le envió {{2}}. Si cambia de idea, toque «Continuar» en el mensaje anterior y se lo enviaremos enseguida.",
};

/** The same, to who has the link. */
const REFUSAL_LINKED_TEXT: MessageTemplate = {
  body: "Entendido, {{1}}: por ahora no le recordaremos que firme «{{3}}», que le envió {{2}}. Si cambia de idea, su enlace para firmarlo sigue sirviendo; también puede tocar «Continuar» en el mensaje anterior y se lo enviaremos de nuevo.",
};

/** What a note says. */
export const noteTemplate = (message: NoteMessage): MessageTemplate => {
  if (message.kind === "cancellation") return CANCELED_TEMPLATE;
  return message.hasContinued ? REFUSAL_LINKED_TEXT : REFUSAL_TEXT;
};

const reminder = (until: boolean, ending: string): MessageTemplate => ({
  body: `Hola {{1}}: {{2}} sigue esperando su firma en el documento «{{3}}».${until ? " Puede firmarlo hasta el {{4}}." : ""} ${ending}`,
});

/** The signature is awaited still. Values: the signer's name, the business, the document. */
export const REMINDER_TEMPLATE = reminder(false, QUESTION);

/** The same, of a document whose time ends. Values: the signer's name, the business, the document, until when. */
export const REMINDER_UNTIL_TEMPLATE = reminder(true, QUESTION);

/** Both, where the link goes along. */
export const REMINDER_LINK_TEMPLATE = reminder(false, LINK_SENTENCES);
export const REMINDER_LINK_UNTIL_TEMPLATE = reminder(true, LINK_SENTENCES);

/** What all signing links begin with: the token follows. `publicUrl`: where the outside reaches the service. */
export const signingLinkBase = (publicUrl: string): string => `${publicUrl}/s/`;

/** The quick replies, in the order in which they are shown. */
export const ANSWER_LABELS = { continue: "Continuar", no_continue: "No continuar" } as const;

/** What stands on the button that opens the link. */
export const LINK_LABEL = "Leer y firmar";

/** What stands on the button that leads to the signed copy. */
export const COPY_LABEL = "Ver copia firmada";

/** What the first message says, wherever it goes. */
export type RequestWords = Pick<TemplateMessage, "signerName" | "businessName" | "documentName" | "text" | "until">;

/** The template that the first message has, by whether it has words of its own and says until when. */
const requestTemplateOf = ({ text, until }: RequestWords): MessageTemplate => {
  if (text === null) return until === null ? REQUEST_TEMPLATE : REQUEST_UNTIL_TEMPLATE;
  return until === null ? REQUEST_NOTE_TEMPLATE : REQUEST_NOTE_UNTIL_TEMPLATE;
};

/** The first message: its template, and the values in its order, each on one line. */
export const requestTemplate = (message: RequestWords): [MessageTemplate, string[]] => [
  requestTemplateOf(message),
  requestValues(message),
];

/** The first message where the link goes along, likewise. */
export const requestWithLinkTemplate = (message: RequestWords): [MessageTemplate, string[]] => [
  { body: requestTemplateOf(message).body.replace(QUESTION, LINK_SENTENCES) },
  requestValues(message),
];

const requestValues = ({ signerName, businessName, documentName, text, until }: RequestWords): string[] =>
  [signerName, businessName, documentName, text, until].filter((value) => value !== null).map(onOneLine);

/** The second message: its template, and the values in its order, each on one line. */
export const linkTemplate = ({ signerName, documentName, until }: LinkMessage): [MessageTemplate, string[]] => [
  until === null ? LINK_TEMPLATE : LINK_UNTIL_TEMPLATE,
  [signerName, documentName, until].filter((value) => value !== null).map(onOneLine),
];

/** The message with the signed copy, likewise. */
export const copyTemplate = ({ signerName, documentName }: LinkMessage): [MessageTemplate, string[]] => [
  COPY_TEMPLATE,
  [signerName, documentName].map(onOneLine),
];

/** A reminder, without or with the link: its template, and the values in its order, each on one line. */
export const reminderTemplate = (
  {
    signerName,
    businessName,
    documentName,
    until,
  }: Pick<ReminderMessage, "until" | "signerName" | "businessName" | "documentName">,
  isLinked: boolean,
): [MessageTemplate, string[]] => {
  const [plain, timed] = isLinked
    ? [REMINDER_LINK_TEMPLATE, REMINDER_LINK_UNTIL_TEMPLATE]
    : [REMINDER_TEMPLATE, REMINDER_UNTIL_TEMPLATE];
  const values = [signerName, businessName, documentName, until].filter((value) => value !== null);
  return [until === null ? plain : timed, values.map(onOneLine)];
};

/** A reminder as the signer reads it, but for the link. */
export const reminderText = (message: ReminderMessage): string =>
  fillPlaces(...reminderTemplate(message, message.hasContinued));

/** The values of a note, in its order, each on one line. */
export const noteValues = ({ signerName, businessName, documentName }: NoteMessage): string[] =>
  [signerName, businessName, documentName].map(onOneLine);

/** A note as the signer reads it. */
export const noteText = (message: NoteMessage): string => fillPlaces(noteTemplate(message), noteValues(message));

/** The first message as the signer reads it: the campaign's own text, or the standard one. */
export const requestText = (message: RequestWords): string => {
  const { text, until } = message;
  if (text === null) return fillPlaces(...requestTemplate(message));
  return until === null ? text : `${text}\n\n${fillPlaces(UNTIL_SENTENCE, [until])}`;
};

/** The second message as the signer reads it, but for the link. */
export const linkText = (message: LinkMessage): string => fillPlaces(...linkTemplate(message));

/** The message with the signed copy as the signer reads it, but for the link. */
export const copyText = (message: LinkMessage): string => fillPlaces(...copyTemplate(message));

/** The values, the longest of them cut, so that the text with them has at most so many UTF-16 units. */
export const fittingValues = (
  template: MessageTemplate,
  values: readonly string[],
  longest: number,
): readonly string[] => {
  const excess = fillPlaces(template, values).length - longest;
  if (excess <= 0) return values;
  const lengths = values.map(({ length }) => length);
  const cutAt = lengths.indexOf(Math.max(...lengths));
  // Two less where the end of the cut would be half a character.
  const kept = Math.max(0, (lengths[cutAt] ?? 0) - excess - 1);
  const cut = (value: string) => `${value.slice(0, kept).replace(/[\ud800-\udbff]$/, "")}…`;
  return fittingValues(
    template,
    values.map((value, index) => (index === cutAt ? cut(value) : value)),
    longest,
  );
};

/** The text with its values, the longest of them cut where it would have more UTF-16 units than that. */
export const fittingText = (template: MessageTemplate, values: readonly string[], longest: number): string =>
  fillPlaces(template, fittingValues(template, values, longest));

/** All places at once, so that a value that looks like a place stays what it is. */
const fillPlaces = ({ body }: MessageTemplate, values: readonly string[]): string =>
  body.replace(/\{\{(\d)\}\}/g, (place, number) => values[Number(number) - 1] ?? place);

/**
 * WhatsApp refuses values with line breaks, tabs or more than four spaces in a row. What turns the direction of the
 * message's own words may be in requests from before such texts were refused.
 */
const onOneLine = (value: string): string =>
  value
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
