import type { Content } from "../layout/blocks.ts";
import { render } from "../layout/render.ts";

/** What the pool's threads do. */
export default (content: Content): Promise<Uint8Array> => render(content);
