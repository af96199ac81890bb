import type { Readable } from "node:stream";
import { z } from "zod";

/** What OpenAPI calls a text of a media type is sent as bytes. */
type Bytes = z.ZodType<string | Uint8Array | Readable>;

/** How a route describes an answer that is a file. */
export const binary = (mediaType: string, description: string) => ({
  description,
  content: { [mediaType]: { schema: z.string().meta({ contentMediaType: mediaType }) as Bytes } },
});
