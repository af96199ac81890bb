import { prepareShaping } from "@rubrica/pdf-drawing/text";
import type { Content } from "./blocks.ts";
import { paginate } from "./pages.ts";
import { paint } from "./paint.ts";
import { shape } from "./shape.ts";

/** Sets a report and gives it as a PDF. */
export const render = async (content: Content): Promise<Uint8Array> => {
  await prepareShaping(textIn([content.blocks, content.footer, content.notice]));
  return paint(content, paginate(shape(content.blocks)));
};

/** All text within something, beside what else is in it; pictures are left out. */
const textIn = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (part instanceof Uint8Array ? undefined : part));
