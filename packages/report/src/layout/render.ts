import type { Content } from "./blocks.ts";
import { paginate } from "./pages.ts";
import { paint } from "./paint.ts";
import { shape } from "./shape.ts";

/** Sets a report and gives it as a PDF. */
export const render = (content: Content): Promise<Uint8Array> => paint(content, paginate(shape(content.blocks)));
