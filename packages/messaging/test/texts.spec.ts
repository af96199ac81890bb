import { link, template } from "@rubrica/test-kit/messaging/contract";
import { expect, test } from "vitest";
import { LINK_TEMPLATE, linkText, noteText, REQUEST_TEMPLATE, requestText } from "../src/index.ts";

test("the first message says who asks, and for what", () => {
  expect(requestText(template)).toBe(
    "Hola María José Fernández: Inmobiliaria del Sur le envió el documento «Contrato de alquiler» para que lo firme electrónicamente. ¿Desea continuar?",
  );
});

test("a campaign's own text takes its place, to the letter", () => {
  expect(requestText({ ...template, text: "Firma aquí, {{1}}" })).toBe("Firma aquí, {{1}}");
});

test("the second message names the document, and leaves the link to its button", () => {
  expect(linkText(link)).toContain("«Contrato de alquiler»");
  expect(linkText(link)).not.toContain(link.link);
});

test("the second message says until when, where the document's time ends", () => {
  expect(linkText({ ...link, until: "31 de enero de 2027 a las 18:00 (GMT-3)" })).toBe(
    "Gracias, María José Fernández. Este es su enlace personal para leer y firmar «Contrato de alquiler» hasta el 31 de enero de 2027 a las 18:00 (GMT-3). No lo comparta: es solo para usted.",
  );
});

test("that the document was canceled asks nothing of who has signed, nor of who has not", () => {
  expect(noteText({ ...link, kind: "cancellation", businessName: "Inmobiliaria del Sur" })).toBe(
    "Hola María José Fernández: Inmobiliaria del Sur canceló el documento «Contrato de alquiler». Ya no se puede firmar, y usted no tiene que hacer nada más.",
  );
});

test("what follows from choosing not to continue, who has the link is told so", () => {
  const refusal = { ...link, kind: "refusal", businessName: "Inmobiliaria del Sur" } as const;
  expect(noteText({ ...refusal, hasContinued: false })).toBe(
    "Entendido, María José Fernández: por ahora no le enviaremos el enlace para firmar «Contrato de alquiler», que le envió Inmobiliaria del Sur. Si cambia de idea, toque «Continuar» en el mensaje anterior y se lo enviaremos enseguida.",
  );
  expect(noteText({ ...refusal, hasContinued: true })).toBe(
    "Entendido, María José Fernández: por ahora no le recordaremos que firme «Contrato de alquiler», que le envió Inmobiliaria del Sur. Si cambia de idea, su enlace para firmarlo sigue sirviendo; también puede tocar «Continuar» en el mensaje anterior y se lo enviaremos de nuevo.",
  );
});

test("a value that looks like a place stays as it is, and stays on one line", () => {
  const text = requestText({
    ...template,
    signerName: "{{2}}",
    businessName: "$& {{3}}",
    documentName: "a\n\t b\u0000c",
  });
  expect(text).toContain("Hola {{2}}: $& {{3}} le envió el documento «a b c»");
});

test("what turns the direction of text is left out of values from before it was refused", () => {
  const text = requestText({ ...template, signerName: "Ana\u202e\u2066", businessName: "a\u200fb", documentName: "x" });
  expect(text).toContain("Hola Ana: a\u200fb le envió");
});

test("no place starts or ends a text, as WhatsApp demands", () => {
  expect(REQUEST_TEMPLATE.body).not.toMatch(/^\{\{|\}\}$/);
  expect(LINK_TEMPLATE.body).not.toMatch(/^\{\{|\}\}$/);
});
