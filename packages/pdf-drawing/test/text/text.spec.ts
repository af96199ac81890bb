import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createPdfEngine, type PdfEngine } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { HANGING_MS } from "@rubrica/test-kit";
import { openPage } from "@rubrica/test-kit/browser";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { has, output, type RenderedPage, rendered, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { PDFDocument, PDFName } from "pdf-lib";
import { type Browser, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { undrawableIn } from "../../src/text/drawable.ts";
import { scripts } from "../../src/text/fonts.ts";
import { FontSubsets, prepareShaping, runsOf } from "../../src/text/index.ts";
import { isPlain } from "../../src/text/plain.ts";
import { needsShaping } from "../../src/text/shaping.ts";

const require = createRequire(import.meta.url);
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!CHROMIUM) console.warn("chromium is not installed: names are not compared with a browser's");

const names = [
  ["Arabic", "محمد علي الحسيني"],
  ["Arabic, with its marks", "مُحَمَّد بن عَلِيّ"],
  ["Persian, with a joiner that keeps letters apart", "علی‌رضا کریمی"],
  ["Hebrew", "דוד בן־גוריון"],
  ["Hebrew, with its vowels", "שָׁלוֹם כהן"],
  ["Thai", "กิ่งแก้ว น้ำทิพย์"],
  ["Devanagari", "प्रियंका श्रीवास्तव"],
  ["Bengali", "স্মৃতি চক্রবর্তী"],
  ["Tamil", "ஸ்ரீனிவாசன் கிருஷ்ணமூர்த்தி"],
  ["Georgian", "გიორგი ბერიძე"],
  ["Armenian", "Արմեն Սարգսյան"],
  ["Ethiopic", "ኃይለ ሥላሴ"],
  ["Khmer", "ខ្ញុំ ស្ត្រី សុខា"],
  ["Burmese", "မောင်မောင် ကြွေးကျော်"],
  ["Burmese, with six marks on a letter", "မြွှို့ ဂျွန်နှင့်"],
  ["Gurmukhi", "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ"],
  ["Gujarati", "પ્રિયંકા શ્રીવાસ્તવ"],
  ["Telugu", "శ్రీనివాస్ రావు"],
  ["Kannada", "ಕೃಷ್ಣಮೂರ್ತಿ"],
  ["Malayalam", "ശ്രീകുമാർ നായർ"],
  ["Odia", "ଶ୍ରୀନିବାସ ଦାଶ"],
  ["Sinhala", "නිමල් ශ්\u200Dරී ලංකා"],
  ["Lao", "ສົມຊາຍ ວົງສະຫວັນ"],
  ["Tibetan", "བསྟན་འཛིན་རྒྱ་མཚོ"],
  ["Emoji of several", "Ana 👩‍👩‍👧 👍🏽 Ruiz"],
  ["Latin, decomposed", "Nguyễn Thị Ánh".normalize("NFD")],
  ["Latin, with marks that have no composed form", "x̌q̃ Ṋ̃go"],
  ["Devanagari within a Spanish sentence", "Firmado por प्रियंका श्रीवास्तव (ID 2)"],
  ["Arabic, with its own digits and comma", "علي، ٢٠٢٤"],
  ["both directions", "Ana محمد (Ali) 2024 אבי Ruiz"],
] as const;

describe.skipIf(!has("pdftotext"))("what is copied from a stamp", () => {
  let engine: PdfEngine;
  beforeAll(() => {
    engine = createPdfEngine({ clock: systemClock, processes: 1 });
  });
  afterAll(() => engine.close());

  /** Without the marks with which pdftotext surrounds what is written from right to left. */
  const copied = async (...written: string[]) => {
    const stamps = written.map((name, index) => stampOf({ name, placement: { pages: 1, x: 20, y: 20 + index * 80 } }));
    const file = temporaryFile(await engine.stamp(pdf(), stamps));
    return output("pdftotext", file, "-").replace(/[\u202A-\u202E]/gu, "");
  };

  test("is the name, whatever its script, also of several on one document", async () => {
    const written = [
      ..."محمد علي الحسيني|علی‌رضا کریمی|דוד בן־גוריון|กิ่งแก้ว น้ำทิพย์|प्रियंका श्रीवास्तव".split("|"),
      ..."স্মৃতি মুখোপাধ্যায়|ஸ்ரீனிவாசன்|გიორგი ბერიძე|Արմեն Սարգսյան|ኃይለ ሥላሴ".split("|"),
    ];
    const lines = (await copied(...written)).split("\n");
    expect(lines).toEqual(expect.arrayContaining(written.map((name) => name.normalize("NFC"))));
  });

  test("is composed where the name was not, and has its marks where they can't be", async () => {
    const text = await copied("Nguyễn Thị Ánh".normalize("NFD"), "x̌q̃ m̄eters");
    expect(text).toContain("Nguyễn Thị Ánh");
    expect(text).toContain("x̌q̃ m̄eters");
  });

  test("is the name in scripts of which one letter stands in another's place, and in rare characters", async () => {
    const written = [
      ..."សុខា ចាន់ធូ|မောင်မောင် ကြွေးကျော်|ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ|પ્રિયંકા પટેલ|శ్రీనివాస్ రావు|ಕೃಷ್ಣಮೂರ್ತಿ".split("|"),
      ..."ശ്രീകുമാർ നായർ|නිමල් ශ්‍රී ලංකා|ສົມຊາຍ ວົງສະຫວັນ|བསྟན་འཛིན་རྒྱ་མཚོ|𠮷田 太郎".split("|"),
    ];
    const lines = (await copied(...written)).split("\n");
    expect(lines).toEqual(expect.arrayContaining(written.map((name) => name.normalize("NFC"))));
  });

  test("has emoji, those of several as one, beside any script", async () => {
    const text = await copied("Ana 👩‍👩‍👧 Ruiz", "สมชาย 👩‍👩‍👧 ใจดี");
    expect(text).toContain("Ana 👩‍👩‍👧 Ruiz");
    expect(text).toContain("สมชาย 👩‍👩‍👧 ใจดี");
  });

  test("has one sign for each character that no font has, which are told beforehand", async () => {
    expect(await copied("Ana ꦗꦮ 𪚥")).toContain("Ana \uFFFD\uFFFD \uFFFD");
    const told = await engine.undrawable(["Ana Pérez", "Ana ꦗꦮꦗ 𪚥", ...names.map(([, name]) => name), "𠮷 Ḁ̈ 🇦🇷 1️⃣ ❤️"]);
    expect(told.slice(0, 2)).toEqual([[], ["ꦗ", "ꦮ", "𪚥"]]);
    expect(told.slice(2).flat()).toEqual([]);
  });

  test("has no more marks on a letter than any language has", async () => {
    expect(await copied(`q${"\u0323".repeat(48)}x`)).toMatch(/^q\u0323{4}x$/mu);
  });

  test("is not turned round by marks that the name has for it", async () => {
    expect(await copied("Ana \u202Etxet\u202C דוד")).toContain("Ana txet דוד");
  });
});

test("what counts as plain is in the text's own font", () => {
  const plain = Array.from({ length: 0x3_00 }, (_, codePoint) => String.fromCodePoint(codePoint)).filter(isPlain);
  expect(plain.length).toBeGreaterThan(500);
  expect(plain.flatMap(undrawableIn)).toEqual([]);
  expect(isPlain("Ελένη")).toBe(false);
});

test("a text is shaped only where its script asks for it", () => {
  for (const name of [
    "Ana Pérez",
    "Łukasz Żółć",
    "Ελένη",
    "Єлизавета",
    "李小龍",
    "佐藤さくら",
    "김철수",
    "Ana ❤️ Ruiz",
  ]) {
    expect(needsShaping(name.normalize("NFC")), name).toBe(false);
  }
  for (const [, name] of names) expect(needsShaping(name.normalize("NFC")) || name.startsWith("Nguy"), name).toBe(true);
});

describe.skipIf(!CHROMIUM || !has("pdftoppm"))("names look as a browser sets them, with the same fonts", () => {
  const SIZE = 64;
  const [WIDTH, HEIGHT] = [1_400, 160];
  const faces = scripts.map(({ key, name }) => {
    const style = key === "tibetan" ? "Serif" : "Sans";
    const family = `Noto${style}${name}`;
    return {
      family,
      file: `@expo-google-fonts/noto-${style.toLowerCase()}-${key}/600SemiBold/${family}_600SemiBold.ttf`,
    };
  });
  faces.push({ family: "NotoEmoji", file: "@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf" });
  faces.unshift({ family: "NotoSans", file: "@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf" });

  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const args = ["--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text"];
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args, timeout: HANGING_MS });
    page = await openPage(browser, { viewport: { width: WIDTH, height: HEIGHT } });
    const rules = faces.map(({ family, file }) => {
      const data = readFileSync(require.resolve(file)).toString("base64");
      // Noto Sans has Devanagari letters, too.
      const range = family === "NotoSans" ? "unicode-range: U+0-8FF, U+1E00-2FFF" : "";
      return `@font-face { font-family: ${family}; src: url(data:font/ttf;base64,${data}); ${range} }`;
    });
    const font = `${SIZE}px/${HEIGHT}px ${faces.map(({ family }) => family).join(", ")}`;
    await page.setContent(
      `<style>${rules.join("")} body { margin: 0 20px; font: ${font}; white-space: pre; direction: ltr }</style>`,
    );
  });
  afterAll(() => browser.close());

  const byBrowser = async (name: string): Promise<RenderedPage> => {
    await page.evaluate(`document.body.textContent = ${JSON.stringify(name)}`);
    await page.evaluate("document.fonts.ready");
    const { data, info } = await sharp(await page.screenshot())
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, grey: data };
  };

  const byUs = async (name: string): Promise<RenderedPage> => {
    const document = await PDFDocument.create({ updateMetadata: false });
    const { context } = document;
    const fonts = new FontSubsets("ABCDEF");
    await prepareShaping(name);
    const shown = await fonts.show(runsOf(name, "bold"), SIZE);
    const { node } = document.addPage([WIDTH, HEIGHT]);
    node.set(PDFName.of("Contents"), context.register(context.stream(`BT 1 0 0 1 20 60 Tm ${shown} ET`)));
    node.set(PDFName.of("Resources"), context.obj({ Font: Object.fromEntries(await fonts.embed(context)) }));
    return rendered(await document.save(), 1);
  };

  test.each(names)("%s", async (_script, name) => {
    const [theirs, ours] = [inkOf(await byBrowser(name.normalize("NFC"))), inkOf(await byUs(name))];
    expect(Math.abs(ours.width - theirs.width)).toBeLessThanOrEqual(4);
    expect(Math.abs(ours.height - theirs.height)).toBeLessThanOrEqual(4);
    expect(likeness(ours, theirs)).toBeGreaterThan(0.85);
  });
});

/** The part of a picture that has ink: how dark each pixel is, from 0. */
interface Ink {
  width: number;
  height: number;
  darkness(x: number, y: number): number;
}

const inkOf = ({ width, height, grey }: RenderedPage): Ink => {
  const dark = Array.from(grey.entries()).filter(([, value]) => value < 128);
  const xs = dark.map(([index]) => index % width);
  const ys = dark.map(([index]) => Math.floor(index / width));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return {
    width: Math.max(...xs) - left + 1,
    height: Math.max(...ys) - top + 1,
    darkness: (x, y) =>
      left + x < 0 || left + x >= width || top + y < 0 || top + y >= height
        ? 0
        : 255 - (grey[(top + y) * width + left + x] ?? 255),
  };
};

/** The share of ink that two have in common, at best, when one is moved by up to two pixels. */
const likeness = (one: Ink, other: Ink): number => {
  const shares: number[] = [];
  for (let dx = -2; dx <= 2; dx += 1) {
    for (let dy = -2; dy <= 2; dy += 1) {
      let [common, all] = [0, 0];
      for (let y = 0; y < other.height; y += 1) {
        for (let x = 0; x < other.width; x += 1) {
          const [a, b] = [one.darkness(x + dx, y + dy), other.darkness(x, y)];
          common += Math.min(a, b);
          all += Math.max(a, b);
        }
      }
      shares.push(common / all);
    }
  }
  return Math.max(...shares);
};
