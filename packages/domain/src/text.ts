/** Overrides, embeddings and isolates: what makes the text around it read in another order. Marks alone don't. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;
/** Neither a control, a blank, a mark without its letter, nor what is drawn as nothing: fillers, selectors, tags, joiners. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** What shows nothing, or breaks a line. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/**
 * Why a text can't stand where people read it (in messages, on documents, in reports), or undefined when it can: it would
 * show nothing, or show what stands around it otherwise than it is. Joiners within words and emoji are part of them.
 */
export const textFault = (text: string): string | undefined => {
  if (text.trim() === "") return "must not be empty";
  if (!VISIBLE.test(text)) return "must hold something that can be seen";
  if (DIRECTION.test(text)) return "must not hold characters that turn the direction of text";
  return undefined;
};

/** Why a text can't stand on a line that people read, or undefined when it can: see {@link textFault}. */
export const lineFault = (text: string): string | undefined =>
  text.trim() !== "" && (!text.isWellFormed() || CONTROL.test(text))
    ? "must not hold control characters"
    : textFault(text);
