import { endsToken, isWhitespace } from "@rubrica/pdf-reading/characters";
import { operatorAt } from "@rubrica/pdf-reading/content-operators";
import { ContentTokens, NAME, NUMBER, STRING, WORD } from "@rubrica/pdf-reading/content-tokens";

/** Where pictures within contents end: the data don't say it, and each reader looks for their `EI` in its own way. */

const [TAB, NEWLINE, RETURN, SPACE, LAST] = [0x09, 0x0a, 0x0d, 0x20, 0x7f];
const END_MARK = "EI";
/** Some readers look whether text follows, before they take it for the end. */
const LOOKED_AHEAD = 16;
/** So far pdf.js looks for text, with what parts it from the mark, and so far for an operator. */
const [TEXT_AHEAD, OPERATOR_AHEAD] = [15, 75];

/** Where the one `EI` is that readers may take for the end; undefined where there is none, or what follows is no text. */
export const onlyEnd = (bytes: Buffer, start: number): number | undefined => {
  for (let at = bytes.indexOf(END_MARK, start); at >= 0; at = bytes.indexOf(END_MARK, at + 1)) {
    // Most readers take no end for one before there are any data.
    if (at === start) return undefined;
    const isParted = isWhitespace(bytes[at - 1] ?? 0) && endsToken(bytes[at + 2] ?? SPACE);
    if (isParted) return isTextAfter(bytes, at + 2) && isEndOfPdfjs(bytes, at + 2) ? at : undefined;
    // It asks for nothing before the mark.
    if (mayEndInPdfjs(bytes, at + 2)) return undefined;
  }
  return undefined;
};

const isTextAfter = (bytes: Buffer, after: number): boolean => {
  const ahead = bytes.subarray(after, after + LOOKED_AHEAD);
  const isText = ahead.every((byte) => (byte >= SPACE && byte < LAST) || [TAB, NEWLINE, RETURN].includes(byte));
  return isText && (ahead.length === 0 || isWhitespace(ahead[0] ?? 0));
};

/** Whether pdf.js may take a mark for the end, by what is right after it. */
const mayEndInPdfjs = (bytes: Buffer, after: number): boolean => {
  const isOfText = (byte: number): boolean => (byte >= SPACE && byte <= LAST) || [0, NEWLINE, RETURN].includes(byte);
  return (
    [SPACE, NEWLINE, RETURN].includes(bytes[after] ?? 0) &&
    bytes.subarray(after + 1, after + 1 + TEXT_AHEAD).every(isOfText)
  );
};

/**
 * Whether pdf.js takes a mark for the end where others do: it wants an operator near, with its operands, and goes on to the
 * next mark where it finds none; back to this one where there is no next.
 */
const isEndOfPdfjs = (bytes: Buffer, after: number): boolean => {
  if (after === bytes.length) return true;
  if (!mayEndInPdfjs(bytes, after)) return false;
  const tokens = new ContentTokens(bytes.subarray(after, after + 1 + OPERATOR_AHEAD));
  for (let count = 0; ; count += 1) {
    const kind = tokens.take();
    if (kind === NUMBER || kind === NAME || kind === STRING) continue;
    const operator = kind === WORD ? operatorAt(tokens.bytes, tokens.start, tokens.at) : undefined;
    const isNear = operator !== undefined && (operator.operands?.length ?? count) === count;
    return isNear || !/EI[ \n\r]/.test(bytes.toString("latin1", after));
  }
};
