import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemRuntime } from "@rubrica/runtime";
import { noteMissing, temporaryFolder } from "@rubrica/test-kit";
import { docxParts, picture, pngOf, relationship, zipOf } from "@rubrica/test-kit/docx";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findConfinement } from "../../../src/conversion/native/confinement.ts";
import { findSoffice, NativeOffice } from "../../../src/conversion/native/native-office.ts";
import { isWholePdf, type Office } from "../../../src/conversion/office.ts";

const { random } = systemRuntime();
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** A file outside of the office program's folder, and a document that has it drawn, as no filter lets through. */
const secret = join(folder.path, "secret.png");
const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="96" height="96"><image width="96" height="96" xlink:href="${pathToFileURL(secret)}"/></svg>`;
const parts = docxParts(picture('r:embed="rId7"'), {
  relationships: relationship("rId7", "image", "media/image1.svg"),
});
const contentTypes = String(parts["[Content_Types].xml"]).replace(
  "<Override",
  '<Default Extension="svg" ContentType="image/svg+xml"/><Override',
);
const document = zipOf({ ...parts, "[Content_Types].xml": contentTypes, "word/media/image1.svg": svg });

/** Whether the PDF that a program makes of the document shows the file. */
const showsSecret = async (office: Office): Promise<boolean> => {
  const process = await office.start(new AbortController().signal);
  try {
    const pdf = await process.convert(document);
    expect(isWholePdf(pdf)).toBe(true);
    return Buffer.from(pdf).includes("/Subtype/Image");
  } finally {
    await process.kill();
    await office.close();
  }
};

beforeAll(() => writeFileSync(secret, pngOf()));

const soffice = findSoffice(undefined);
const confinement = soffice && (await findConfinement(soffice, folder.path));
if (!soffice || !confinement) noteMissing(soffice ? "bubblewrap (bwrap), installed and allowed" : "soffice");

test.skipIf(!soffice)("the memory of an office program is told, however it was started", async () => {
  const office = await NativeOffice.open(soffice ?? "", join(folder.path, "memory"), random);
  const process = await office.start(new AbortController().signal);
  expect(process.memoryMb()).toBeGreaterThan(10);
  await process.kill();
  await office.close();
});

describe.skipIf(!soffice || !confinement)("LibreOffice, confined", () => {
  test("a document that names a file of this machine shows nothing of it", async () => {
    const office = await NativeOffice.open(soffice ?? "", join(folder.path, "confined"), random);
    expect(office.isConfined).toBe(true);
    expect(await showsSecret(office)).toBe(false);
  });

  test("where its folder lies with the system's programs, it is not called confined", async () => {
    expect(await findConfinement(soffice ?? "", "/usr/share/somewhere/office")).toBeUndefined();
  });

  test("its folder has whatever it leaves", async () => {
    const own = join(folder.path, "own");
    mkdirSync(own);
    await (confinement || undefined)?.prepare(own);
    expect(readdirSync(own).sort()).toEqual(["passwd", "tmp"]);
  });
});
