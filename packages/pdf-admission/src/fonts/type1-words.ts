/**
 * Programs of Type 1 as words (Adobe Type 1 Font Format, 2 and 10). No reader runs them: each looks for the words that it
 * knows, and most take none of a program, and a font of their own in its place, for what pdf.js passes over.
 */

/** A word, or what brackets hold. */
interface Word {
  kind: "name" | "word" | "string" | "list" | "routine";
  text: string;
}

/** What all readers take for a name: plain characters. Of NULs and other controls each takes another part, or none. */
export const NAME = String.raw`(?:(?![()<>[\]{}/%])[!-~])+`;
const BLANK = /(?:[ \t\r\n]+|%[^\r\n]*)+/y;
/** Beyond ASCII, too, though not in controls: some readers take these for blanks. */
const WORD = /\/?(?:(?![()<>[\]{}/%])[!-~\u0080-\u00ff])+/y;
const ENDS: Readonly<Record<string, string>> = { "[": "]", "{": "}", "<<": ">>" };

/** Words in their order, those in brackets together; undefined where brackets don't match. */
const wordsIn = (text: string): Word[] | undefined => {
  const words: Word[] = [];
  const open: { end: string; start: number }[] = [];
  for (let at = 0; at < text.length; ) {
    BLANK.lastIndex = WORD.lastIndex = at;
    if (BLANK.test(text)) {
      at = BLANK.lastIndex;
      continue;
    }
    const start = at;
    let kind: Word["kind"] | null = null;
    if (text[at] === "(") {
      at = endOfString(text, at);
      kind = "string";
    } else if (WORD.test(text)) {
      at = WORD.lastIndex;
      kind = text[start] === "/" ? "name" : "word";
    } else {
      const bracket = text[at] === "<" || text[at] === ">" ? text.slice(at, at + 2) : (text[at] as string);
      at += bracket.length;
      const end = ENDS[bracket];
      if (end !== undefined) {
        open.push({ end, start });
        continue;
      }
      const begun = open.pop();
      if (begun?.end !== bracket) return undefined;
      if (open.length === 0)
        words.push({ kind: bracket === "}" ? "routine" : "list", text: text.slice(begun.start, at) });
      continue;
    }
    if (at < 0) return undefined;
    if (open.length === 0) words.push({ kind, text: text.slice(start, at) });
  }
  return open.length === 0 ? words : undefined;
};

/** Below zero where it has none. */
const endOfString = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
};

const NUMBERS = /^[[{][-+\d.eE \t\r\n]*[\]}]$/;
const isNumber = ({ kind, text }: Word): boolean => kind === "word" && /^[-+]?[\d.]+(?:[eE]-?\d+)?$/.test(text);
const isSwitch = ({ text }: Word): boolean => text === "true" || text === "false";
const areNumbers = ({ kind, text }: Word): boolean => (kind === "list" || kind === "routine") && NUMBERS.test(text);
/** What readers know, and of which kind it is; FreeType takes no program in which one is of another. */
const known: ReadonlyMap<string, (value: Word) => boolean> = new Map(
  (
    [
      ["version Notice FullName FamilyName Weight", ({ kind }) => kind === "string"],
      ["ItalicAngle UnderlinePosition UnderlineThickness UniqueID PaintType FontType StrokeWidth", isNumber],
      ["lenIV LanguageGroup password BlueScale BlueShift BlueFuzz ExpansionFactor", isNumber],
      ["FontName", ({ kind }) => kind === "name"],
      ["isFixedPitch ForceBold RndStemUp", isSwitch],
      [
        "FontBBox",
        (value) =>
          areNumbers(value) &&
          value.text
            .slice(1, -1)
            .trim()
            .split(/[ \t\r\n]+/).length === 4,
      ],
      ["FontMatrix BlueValues OtherBlues FamilyBlues FamilyOtherBlues StdHW StdVW MinFeature", areNumbers],
    ] as const satisfies readonly [string, (value: Word) => boolean][]
  ).flatMap(([names, isOf]) => names.split(" ").map((name): [string, (value: Word) => boolean] => [`/${name}`, isOf])),
);
const DEFINED = /^(?:readonly|noaccess|executeonly|def|ND|\|-)$/;
/** Of a font that is several, of which hardly any reader makes one. */
const OF_SEVERAL =
  /\/(?:WeightVector|Blend|BlendDesignPositions|BlendDesignMap|BlendAxisTypes|NDV|CDV|BuildCharArray|CIDInit)(?![\w.])/;
/** What stands in the hidden part alone, and in the other one. */
const HIDDEN = /\/(?:Private|CharStrings|Subrs|lenIV)(?![\w.])|\bclosefile\b/;
const CLEAR = /\/(?:FontMatrix|FontBBox|Encoding)(?![\w.])|\beexec\b/;
const ONCE = /\/(?:Private|lenIV)(?![\w.])/g;
const PRIVATE =
  /(?:^|[ \t\r\n])dup[ \t\r\n]*\/Private[ \t\r\n]+\d+[ \t\r\n]+dict[ \t\r\n]+dup[ \t\r\n]+begin(?![^ \t\r\n/])/;

/** Whether a place is within a comment. */
export const isInComment = (text: string, at: number): boolean =>
  /%[^\r\n]*$/.test(text.slice(Math.max(text.lastIndexOf("\n", at), text.lastIndexOf("\r", at), 0), at));

const isOfKnownKinds = (text: string): boolean => {
  const words = wordsIn(text);
  return (
    words?.every((word, index) => {
      const isOf = word.kind === "name" ? known.get(word.text) : undefined;
      const [value, behind] = words.slice(index + 1, index + 3);
      return isOf === undefined || (value !== undefined && isOf(value) && DEFINED.test(behind?.text ?? ""));
    }) === true
  );
};

/**
 * Whether FreeType passes over words: over as many bytes as a number before these says, and over what stands between the
 * question for a font and an answer to it. Behind `Private` it takes a program that asks for another one's glyphs alone.
 */
const areJumpedOver = (words: readonly Word[], mayAsk: boolean): boolean =>
  words.some(({ text }, index) => {
    if (JUMPS.test(text)) return /^\d/.test(words[index - 1]?.text ?? "");
    if (!text.startsWith("FontDirectory")) return false;
    const [name, known, answer] = words.slice(index + 1, index + 4);
    return !mayAsk || name?.kind !== "name" || known?.text !== "known" || answer?.kind !== "routine";
  });
const JUMPS = /^(?:RD|-\|)/;

/** Whether readers find the same in the part of a program that is no secret, up to its last word. */
export const isPlainClear = (text: string): boolean =>
  !OF_SEVERAL.test(text) &&
  !HIDDEN.test(text) &&
  /[ \t\r\n]currentfile[ \t\r\n]+$/.test(text) &&
  isOfKnownKinds(text) &&
  !areJumpedOver(wordsIn(text) ?? [], true);

/** The same of what the other part has before its glyphs, without the bytes of its routines, and behind these. */
export const isPlainHidden = (before: string, behind: string): boolean => {
  const once = before.match(ONCE) ?? [];
  return (
    !OF_SEVERAL.test(before) &&
    !CLEAR.test(before) &&
    PRIVATE.test(before) &&
    new Set(once).size === once.length &&
    !/\bclosefile\b/.test(before) &&
    isOfKnownKinds(before) &&
    !areJumpedOver(wordsIn(before) ?? [], false) &&
    wordsIn(behind)?.every(({ kind, text }) => kind !== "name" || text === "/FontName") === true
  );
};

const LEN_IV = /\/lenIV(?![\w.])/;
const USUAL = 4;

/**
 * With how many random bytes glyphs and routines begin; below zero: they are not encrypted. Undefined where readers take
 * another number, since it stands among or behind the routines, or in brackets.
 * @param words of the hidden part, without the bytes of its routines, and how many characters of these stand before them
 */
export const leadingBytes = ({ words, first }: { words: string; first: number }): number | undefined => {
  const before = wordsIn(words.slice(0, first));
  if (before === undefined || !LEN_IV.test(words)) return before && USUAL;
  const { text = "" } = before[before.findIndex((word) => word.text === "/lenIV") + 1] ?? {};
  return /^(?:-1|[0-4])$/.test(text) ? Number(text) : undefined;
};
