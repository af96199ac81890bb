import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";

/** What a sound picture of two by two dots in grey says of itself. */
export const sound = {
  Width: "2",
  Height: "2",
  BitsPerComponent: "8",
  ColorSpace: "/DeviceGray",
};

/** A file that draws a picture of such entries and data; others, which it may name as masks, are 7 to 16. */
export const picture = (entries: Readonly<Record<string, string>>, data = "\xff\xff\xff\xff") =>
  pdf({
    pages: [{ content: "q 100 0 0 100 50 50 cm /I Do Q", resources: "/XObject<</I 6 0 R>>" }],
    objects: [
      streamOf(
        data,
        `/Type/XObject/Subtype/Image${Object.entries(entries)
          .map(([name, value]) => `/${name} ${value}`)
          .join("")}`,
      ),
      streamOf("\xff\xff\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB"),
      streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"),
      streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true"),
      streamOf(
        "\0",
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace[/Indexed/DeviceGray 0<ff>]",
      ),
      streamOf(
        "\xff",
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 8 0 R",
      ),
      ...[16, 8].map((depth) =>
        streamOf(
          "\xff\xff",
          `/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent ${depth}/ColorSpace/DeviceGray/Matte[0]`,
        ),
      ),
      streamOf("\xff", "/Type/XObject/Width 1/Height 1/ImageMask true"),
      "100",
      streamOf(
        "\xff",
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Matte[(0)]",
      ),
    ],
  });
