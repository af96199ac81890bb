import { lineFault, textFault } from "@rubrica/domain";
import { z } from "zod";

const readable = (faultOf: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = faultOf(text);
    if (message) context.addIssue({ code: "custom", message });
  });

/** A line of text that people read: something to see, at most `maxLength` code points, no control characters. */
export const lineOfText = (maxLength: number) =>
  // Counts code points.
  readable(lineFault).max(maxLength, `must have at most ${maxLength} characters`);

/** A text that people read, of any lines. */
export const textOfLines = (maxLength: number) =>
  readable(textFault).max(maxLength, `must have at most ${maxLength} characters`);
