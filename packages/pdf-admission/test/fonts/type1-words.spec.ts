import { pdfWithFont, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { type1Code } from "./glyph-code.ts";

const use = { subtype: "Type1", entry: "FontFile", entries: "/Encoding/WinAnsiEncoding" };
/** What is in the part that is no secret, after the encoding. */
const inClear = (words: string) =>
  type1({
    encoding: `/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\ndup 49 /one put\nreadonly def\n${words}`,
  });
const inList = (list: string) => type1({ encoding: `/Encoding ${list}\nreadonly def` });
const replaced = (word: string | RegExp, other: string, options = {}) =>
  type1({ ...options, change: (hidden) => hidden.replace(word, () => other) });
const withRoutines = { routines: [0, 1].map((number) => [number, type1Code("return")] as const) };
const isPrivate = "dup /Private 8 dict dup begin";
const beforeGlyphs = (words: string) => replaced("2 index /CharStrings", `${words}\n2 index /CharStrings`);
const cut = "dup 0 8 RD xxxxxxxxx NP\n";
const scale = "/FontMatrix [0.0005 0 0 0.001 0 0] def";

test.each<[string, Buffer]>([
  ["another size where it is a secret", replaced(isPrivate, `${scale}\n${isPrivate}`)],
  ["another encoding there", beforeGlyphs("/Encoding StandardEncoding def")],
  ["a list of ten with a 50th code", inList("10 array\ndup 49 /one put")],
  ["a code of more than one byte", inList("256 array\ndup 305 /nine put\ndup 49 /one put")],
  ["a list of more codes than a byte has", inList("300 array\ndup 49 /one put")],
  ["brackets that are not closed", beforeGlyphs("/OtherSubrs [ {} {")],
  ["brackets that are closed by others", beforeGlyphs("/OtherSubrs [ {} }")],
  ["a bracket that nothing opens", replaced("readonly put", "readonly } put")],
  ["text that does not end", replaced("noaccess put\ndup", "( noaccess put\ndup")],
  ["digits that do not end", beforeGlyphs("<00")],
  ["a name before its end", replaced("mark currentfile", "/BlueShift mark currentfile")],
  ["what fonts that are several have", beforeGlyphs("/NDV {} def")],
  ["a box of three sides", inClear("/FontBBox {0 0 1000} readonly def")],
  ["a number for text", inClear("/Weight -300 def")],
  ["text for a number", inClear("/ItalicAngle (0) def")],
  ["another word before its name's value", inClear("/FontName end /Own def")],
  ["a value that is not defined", inClear("/isFixedPitch false /Weight (Bold) def")],
  ["the beginning of its secret part too early", inClear("/Private 1 dict def")],
  ["an end where it begins", inClear("closefile")],
  ["no word that it is read from itself", inClear("currentdict end\ncurrentdict eexec")],
  ["more glyphs than its list says", replaced(/CharStrings \d+/, "CharStrings 1")],
  ["fewer glyphs than none", replaced(/CharStrings \d+/, "CharStrings -1")],
  ["glyphs of which one ends in other words", replaced(" ND\n/nine", " |-\n/nine")],
  ["glyphs that end as entries do", replaced(/ ND\n/g, " noaccess def\n")],
  ["a glyph that is told in a comment", replaced("/nine", "% x\n/nine")],
  ["a glyph twice", type1({ names: [".notdef", "one", "one", "seven"] })],
  ["no secret part of its own", replaced(isPrivate, "dup /Own 8 dict dup begin")],
  ["two of them", beforeGlyphs("/Private 1 dict def")],
  ["two numbers of random bytes", beforeGlyphs("/lenIV 4 def\n/lenIV 0 def")],
  ["a routine shorter than its random bytes", beforeGlyphs("/Subrs 1 array\ndup 0 1 RD x NP\nND")],
  ["a number of random bytes behind its routines", beforeGlyphs("/Subrs 0 array\nND\n/lenIV 4 def")],
  ["that number in brackets", beforeGlyphs("/Own {/lenIV 4} def")],
  ["that number in a comment", beforeGlyphs("% /lenIV 0 def")],
  ["more random bytes than any program has", beforeGlyphs("/lenIV 5 def")],
  ["fewer of them than none", beforeGlyphs("/lenIV -2 def")],
  ["routines in brackets", beforeGlyphs("/Own {/Subrs 0 array} def")],
  ["routines in a comment", beforeGlyphs("% /Subrs 0 array\n/Own 0 def")],
  ["glyphs in a comment", replaced("2 index /CharStrings", "% 2 index /CharStrings")],
  ["bytes that nothing reads", beforeGlyphs("/BlueFuzz 1 def 20 RD ")],
  ["the same by another word", beforeGlyphs("2 -| ")],
  ["a question for another font", beforeGlyphs("FontDirectory pop")],
  ["a question in clear that is answered late", inClear("FontDirectory /Own /XUID 1 def known {pop} if")],
  ["a size twice", inClear(scale.replace("0.0005", "0.001"))],
  ["a form feed between its words", inClear("/isFixedPitch\ffalse def")],
  ["a NUL between them", inClear("/isFixedPitch\0false def")],
  ["a vertical tab where they are secret", beforeGlyphs("/BlueFuzz\v1 def")],
  ["a NUL in a glyph's name", type1({ names: [".notdef", "one", "nine\0"] })],
  [
    "names in a routine behind one that is longer than it says",
    beforeGlyphs(`/Subrs 2 array\n${cut}dup 1 4 RD /x/x NP ND`),
  ],
  ["routines that end in a word too many", replaced(/ NP\n/g, " readonly put\n", withRoutines)],
  ["routines of which one ends in other words", replaced(" NP\n", " |\n", withRoutines)],
  ["several fonts in one", beforeGlyphs("/Blend 3 dict dup begin /FontBBox [{0 0}{0 0}{9 9}{9 9}] def end def")],
])("a program of Type 1 with %s is refused: most readers show a font of their own", async (_, program) => {
  await expect(admit(pdfWithFont(program, use))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

/** As fonts of the nineties have it. */
const older = `systemdict /internaldict known
{1183615869 systemdict /internaldict get exec /StemSnapLength 2 copy known { get 4 lt } { pop pop true } ifelse }
{ true } ifelse { pop [78 83] } if ND
/OtherSubrs % Copyright (c) 1987
[ {} {} { /FlxProc known {save true} {false} ifelse } ] noaccess def`;

test.each<[string, Buffer]>([
  [
    "entries of all kinds",
    inClear("/FontInfo 2 dict dup begin /Notice (a \\) (b) % c) readonly def\n/ItalicAngle -9.5 def end readonly def"),
  ],
  ["a list of as many codes as it has", inList("50 array\ndup 49 /one put")],
  ["a number of random bytes", beforeGlyphs("/lenIV 4 def")],
  ["a question for itself in clear", inClear("FontDirectory/Own known{/Own findfont pop}if")],
  ["bytes beyond ASCII in comments and texts", inClear("% \xa9\n/Notice (\xa9 \f) readonly def")],
  ["what is only for printers", beforeGlyphs(`/StemSnapH [69 74 78 83] ${older}`)],
  ["routines", type1(withRoutines)],
  ["a routine whose bytes begin no comment", beforeGlyphs("/Subrs 1 array\ndup 0 8 RD xxxxxx%x NP ND")],
  [
    "a routine that is longer than it says, and others",
    beforeGlyphs(`/Subrs 2 array\n${cut}dup 1 4 RD \0\0\0\0 NP ND`),
  ],
  ["routines that end in two words", replaced(/ NP\n/g, " noaccess put\n", withRoutines)],
  ["short words for routines and glyphs", replaced(/ RD /g, " -| ")],
  ["glyphs without words behind them", replaced(/ ND\n/g, "\n")],
  ["room for more glyphs", replaced(/CharStrings \d+/, "CharStrings 99")],
])("a program of Type 1 stays that has %s", async (_, program) => {
  expect((await admit(pdfWithFont(program, use))).bytes).toBeNull();
});
