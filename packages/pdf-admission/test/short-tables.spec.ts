import { deflateSync } from "node:zlib";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";
import { picture, sound } from "./picture.ts";

const table = { ...sound, ColorSpace: "[/Indexed/DeviceRGB 1<000000ffffff>]" };
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const flate = (data: string): string => latin(deflateSync(Buffer.from(data, "latin1")));
const predicted = { ...table, Filter: "/FlateDecode", DecodeParms: "<</Predictor 15/Columns 2>>" };
/** Three dots a row in nibbles, of which the fourth is none. */
const nibbles = { ...table, Width: "3", BitsPerComponent: "4" };

describe("a picture in numbers of a table", () => {
  test.each([
    ["with colors for all that are in it", table, "\0\x01\x01\0"],
    ["compressed", { ...table, Filter: "/FlateDecode" }, flate("\0\x01\x01\0 ")],
    ["whose rows are predicted", predicted, flate("\x01\x01\x00\x02\x00\x00")],
    ["whose rows are predicted by what is around", predicted, flate("\x03\x01\x01\x04\x00\xff")],
    ["whose rows end within a byte", nibbles, "\x10\x1f\x01\x0f"],
    [
      "of all numbers",
      { ...sound, BitsPerComponent: "1", Width: "8", ColorSpace: "[/Indexed/DeviceGray 1<00ff>]" },
      "\xaa\x55",
    ],
  ])("stays as it is %s", async (_, entries, data) => {
    expect((await admit(picture(entries, data))).bytes).toBeNull();
  });

  const whole = `<000000${"ffffff".repeat(255)}>`;
  const nibbled = `<000000${"ffffff".repeat(15)}>`;
  test.each([
    ["of a byte each", table, "\0\x01\x02\0", whole],
    ["compressed", { ...table, Filter: "/FlateDecode" }, flate("\0\x01\xff\0"), whole],
    ["in rows that are predicted", predicted, flate("\x01\x01\x01\x02\x00\x00"), whole],
    ["in rows that are predicted by those above", predicted, flate("\x00\x01\x01\x02\x01\x00"), whole],
    ["of half a byte", nibbles, "\x10\x1f\x21\x0f", nibbled],
    ["at the end of a row", nibbles, "\x10\x1f\x01\x2f", nibbled],
    ["by a rule that is not looked into", { ...table, Filter: "/ASCIIHexDecode" }, "00010100>", whole],
  ])("gets the last color for numbers beyond it %s, where nobody signed", async (_, entries, data, colors) => {
    const { bytes, disarmed } = await admit(picture(entries, data));
    expect(disarmed).toEqual(["shown_otherwise"]);
    expect(latin(bytes ?? new Uint8Array()).replaceAll(/\s/g, "")).toContain(colors);
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
  });
});

test.each(["3", "16", "24", "30"])(
  "a picture in numbers of %s bits is refused: a table for all of them could take all memory",
  async (depth) => {
    const entries = { ...table, BitsPerComponent: depth, Filter: "/ASCIIHexDecode" };
    await expect(admit(picture(entries, `${"00".repeat(64)}>`))).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each(["-1", "0", "1.5"])("a picture in numbers of a table that is %s dots wide is refused", async (width) => {
  const entries = { ...table, Width: width };
  await expect(admit(picture(entries, "\0".repeat(9)))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

describe.each([
  ["that it brings along", "[/I /RGB 1 <000000ffffff>]", ""],
  ["that resources name", "/Own", "/ColorSpace<</Own[/Indexed/DeviceRGB 1<000000ffffff>]>>"],
])("a picture within contents, in numbers of a table %s", (_, space, resources) => {
  const within = (data: string, more = "") => {
    const image = `BI /W 2 /H 1 /BPC 8 /CS ${space} ${more}ID ${data}\nEI`;
    return admit(pdf({ pages: [{ resources, content: `q 9 0 0 9 9 9 cm ${image} Q` }] }));
  };
  test("stays as it is where the table has colors for all that are in it", async () =>
    expect((await within("\0\x01")).bytes).toBeNull());
  test("and where it says that its numbers are the table's", async () =>
    expect((await within("\0\x01", "/D [0 255] ")).bytes).toBeNull());
  test.each([
    ["it has none for some of them", "\0\x02", ""],
    ["its numbers stand for others", "\0\x01", "/D [0 1] "],
  ])(
    "is refused where %s",
    async (_why, data, more) => await expect(within(data, more)).rejects.toMatchObject({ reason: "shown_otherwise" }),
  );
});
