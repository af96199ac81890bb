import { z } from "zod";

/** How a route describes an answer that is a file. */
export const binary = (mediaType: string, description: string) => ({
  description,
  content: { [mediaType]: { schema: z.string().meta({ contentMediaType: mediaType }) } },
});
