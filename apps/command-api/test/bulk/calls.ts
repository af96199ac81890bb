import { type DocxConverter, openDocxTemplates } from "@rubrica/docx";
import { createHelperBudget } from "@rubrica/helpers";
import { systemClock } from "@rubrica/runtime";
import { docxOf, paragraph } from "@rubrica/test-kit/docx";
import { pdf } from "../requests.ts";
import { type Answer, type World, type WorldOptions, world } from "../world.ts";

export const BULK = "/api/sendCargaMasiva";

type Fields = Record<string, unknown>;

export const ana = {
  id: "A-17",
  "nombre y apellido": "Ana Paz",
  dni: "30.123.456",
  msg: "5491122334455",
  cuota: "$ 1",
};
export const leo = { "nombre y apellido": "Leo Ruiz", dni: "E-123.45", msg: "33612345678", cuota: "$ 2" };

/** The field without its key. */
export const without = (fields: Fields, ...keys: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
export const template = docxOf(paragraph("{nombre y apellido} pays {cuota}"));

/** The least that a bulk call must hold, with `fields` in place of or beside it. */
export const callOf = (fields: Fields = {}): Fields => ({
  document_type: "docx",
  document: base64(template),
  firmante: { page: 1, position_x: 60, position_y: 600 },
  df: [ana, leo],
  ...fields,
});

/** Whatever it is given, a PDF of two pages of A4; `converted` holds what it was given. */
export const fakeConverter = () => {
  const converted: Uint8Array[] = [];
  const converter: DocxConverter = {
    engine: "native",
    async convert(docx) {
      converted.push(docx);
      return pdf({ pages: [{}, {}] });
    },
    close: async () => undefined,
  };
  return { converter, converted };
};

/** One for all tests: its process takes a while to start, and ends with this one. */
const templates = openDocxTemplates({
  clock: systemClock,
  budget: createHelperBudget({ clock: systemClock, totalMb: 600 }),
});

/** A world that converts, after a fashion. */
export const bulkWorld = (options: WorldOptions & { converter?: DocxConverter | undefined } = {}): Promise<World> => {
  const converter = "converter" in options ? options.converter : fakeConverter().converter;
  return world({ docx: { templates, converter }, ...options });
};

export const send = (made: World, body: unknown, options?: Parameters<World["send"]>[3]): Promise<Answer> =>
  made.send("POST", BULK, body, options);

/** What a bulk call was refused with. */
export const refusalOf = async (made: World, body: unknown, options?: Parameters<World["send"]>[3]) => {
  const answer = await send(made, body, options);
  return [answer.status, answer.body];
};
