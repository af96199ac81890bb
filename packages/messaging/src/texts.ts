import type { LinkMessage, NoteMessage, TemplateMessage } from "./port.ts";

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

/** Who asks, for what, where the link goes along. Values: the signer's name, the business, the document. */
export const REQUEST_WITH_LINK_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} le envió el documento «{{3}}» para que lo firme electrónicamente. Este es su enlace personal para leerlo y firmarlo. No lo comparta: es solo para usted.",
};

/** The same with a campaign's own words. Values: the signer's name, the business, the document, the words. */
export const REQUEST_NOTE_WITH_LINK_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} le envió el documento «{{3}}» para que lo firme electrónicamente, con este mensaje: «{{4}}». Este es su enlace personal para leerlo y firmarlo. No lo comparta: es solo para usted.",
};

/** The personal link. Values: the signer's name, the document. */
export const LINK_TEMPLATE: MessageTemplate = {
  body: "Gracias, {{1}}. Este es su enlace personal para leer y firmar «{{2}}». No lo comparta: es solo para usted.",
};

/** Where the signed copy is. Values: the signer's name, the document. */
export const COPY_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: el documento «{{2}}» ya tiene todas las firmas. En su enlace personal puede descargar su copia firmada.",
};

/** The document was canceled. Values: the signer's name, the business, the document. */
export const CANCELED_TEMPLATE: MessageTemplate = {
  body: "Hola {{1}}: {{2}} canceló el documento «{{3}}». Ya no hace falta que lo firme, y su enlace personal ya no sirve para firmarlo.",
};

/** The quick replies, in the order in which they are shown. */
export const ANSWER_LABELS = { continue: "Continuar", no_continue: "No continuar" } as const;

/** What stands on the button that opens the link. */
export const LINK_LABEL = "Leer y firmar";

/** What stands on the button that leads to the signed copy. */
export const COPY_LABEL = "Ver copia firmada";

/** What the first message says, wherever it goes. */
export type RequestWords = Pick<TemplateMessage, "signerName" | "businessName" | "documentName" | "text">;

/** The values of {@link REQUEST_TEMPLATE}, in its order, each on one line. */
export const requestValues = ({ signerName, businessName, documentName }: RequestWords): string[] =>
  [signerName, businessName, documentName].map(onOneLine);

/** The values of {@link REQUEST_NOTE_TEMPLATE}, in its order, each on one line. */
export const requestNoteValues = (message: RequestWords): string[] => [
  ...requestValues(message),
  onOneLine(message.text ?? ""),
];

/** The values of {@link LINK_TEMPLATE} and {@link COPY_TEMPLATE}, in their order, each on one line. */
export const linkValues = ({ signerName, documentName }: LinkMessage): string[] =>
  [signerName, documentName].map(onOneLine);

/** The values of {@link CANCELED_TEMPLATE}, in its order, each on one line. */
export const noteValues = ({ signerName, businessName, documentName }: NoteMessage): string[] =>
  [signerName, businessName, documentName].map(onOneLine);

/** That the document was canceled, as the signer reads it. */
export const noteText = (message: NoteMessage): string => fillPlaces(CANCELED_TEMPLATE, noteValues(message));

/** The first message as the signer reads it: the campaign's own text, or the standard one. */
export const requestText = (message: RequestWords): string =>
  message.text ?? fillPlaces(REQUEST_TEMPLATE, requestValues(message));

/** The second message as the signer reads it, but for the link. */
export const linkText = (message: LinkMessage): string => fillPlaces(LINK_TEMPLATE, linkValues(message));

/** The message with the signed copy as the signer reads it, but for the link. */
export const copyText = (message: LinkMessage): string => fillPlaces(COPY_TEMPLATE, linkValues(message));

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
function fillPlaces({ body }: MessageTemplate, values: readonly string[]): string {
  return body.replace(/\{\{(\d)\}\}/g, (place, number) => values[Number(number) - 1] ?? place);
}

/**
 * WhatsApp refuses values with line breaks, tabs or more than four spaces in a row. What turns the direction of the
 * message's own words may be in requests from before such texts were refused.
 */
function onOneLine(value: string): string {
  return value
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
