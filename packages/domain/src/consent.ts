/** What a signer agrees to. A text never changes once it was shown: a new wording is a new version. */
export interface Consent {
  version: string;
  text: string;
}

const texts: Readonly<Record<string, string>> = {
  "2026-11":
    "Declaro que leí el documento completo, que los datos que me identifican son correctos y que acepto firmarlo " +
    "electrónicamente. Entiendo que mi firma electrónica expresa mi voluntad y que se registran la fecha y la hora, " +
    "la dirección IP, el dispositivo y la imagen de mi firma como evidencia.",
};

/** The consent that is asked for now. */
export const currentConsent: Consent = { version: "2026-11", text: texts["2026-11"] ?? "" };

/** The consent of a version, or undefined when there never was one. */
export const consentOf = (version: string): Consent | undefined => {
  const text = Object.hasOwn(texts, version) ? texts[version] : undefined;
  return text === undefined ? undefined : { version, text };
};
