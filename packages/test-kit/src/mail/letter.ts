/** What a message of one part says, in the form of RFC 5322. */
export interface Letter {
  /** By their names in lower case, decoded. */
  headers: ReadonlyMap<string, string>;
  text: string;
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

/** RFC 2047: what stands between two encoded words is no blank of the text. */
const decodedWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_match, encoding: string, words: string) =>
      encoding.toUpperCase() === "B"
        ? Buffer.from(words, "base64").toString("utf8")
        : quotedPrintable(words.replaceAll("_", " ")),
    );

const decodedText = (text: string, encoding: string | undefined): string => {
  if (encoding === "base64") return Buffer.from(text, "base64").toString("utf8");
  return encoding === "quoted-printable" ? quotedPrintable(text) : text;
};

/** Reads a message; a header that comes twice, or a line that is not a header, throws. */
export const readLetter = (message: string): Letter => {
  const end = message.indexOf("\r\n\r\n");
  const headers = new Map<string, string>();
  for (const line of message
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")) {
    const [, name, value] = /^([!-9;-~]+): (.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no header: ${line}`);
    if (headers.has(name.toLowerCase())) throw new Error(`twice: ${name}`);
    headers.set(name.toLowerCase(), decodedWords(value));
  }
  return { headers, text: decodedText(message.slice(end + 4), headers.get("content-transfer-encoding")) };
};
