import { describe, expect, test } from "vitest";
import { drawingBytes, MAX_DRAWING_BYTES } from "../../src/signing/sign.ts";

describe("a garabato", () => {
  test("is a data URI of a PNG or a JPEG", () => {
    expect(drawingBytes("data:image/png;base64,AQID")).toEqual(Buffer.from([1, 2, 3]));
    expect(drawingBytes("data:image/jpeg;base64,AQID")).toEqual(Buffer.from([1, 2, 3]));
  });

  test.each([
    ["plain Base64", "AQID"],
    ["an SVG", "data:image/svg+xml;base64,AQID"],
    ["broken Base64", "data:image/png;base64,AQ*D"],
    ["empty", "data:image/png;base64,"],
    ["too large", `data:image/png;base64,${"A".repeat(MAX_DRAWING_BYTES * 1.4)}`],
  ])("is refused: %s", (_what, dataUri) => {
    expect(drawingBytes(dataUri)).toBeUndefined();
  });
});
