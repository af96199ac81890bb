/** Whether a text is of letters that need no look into fonts: Latin ones, as most names are. */
export const isPlain = (text: string): boolean => /^[\u0020-\u007E\u00A0-\u024F]*$/u.test(text.normalize("NFC"));
