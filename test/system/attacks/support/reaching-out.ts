import { docxParts, paragraph, relationship } from "@rubrica/test-kit/docx";
import { docxFile } from "./packages.ts";

const PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const IMAGE = `${OFFICE}/image`;
const SVG_TYPE =
  '<Default Extension="svg" ContentType="image/svg+xml"/><Default Extension="png" ContentType="image/png"/>';

/** A picture in the text, 10 cm wide, whose relationship has this id. */
const drawing = (id: string, attribute = "embed", beside = ""): string =>
  `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="3600000" cy="3600000"/><wp:docPr id="1" name="a"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="1" name="a"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:${attribute}="${id}">${beside}</a:blip><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="3600000" cy="3600000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

/** A good DOCX with this in its text, these relationships, and these further parts. */
const template = (
  body: string,
  relationships: string,
  parts: Readonly<Record<string, string | Buffer>> = {},
): Buffer => {
  const all = docxParts(paragraph("Lease of {nombre y apellido}") + body);
  const types = String(all["[Content_Types].xml"]).replace("<Override", `${SVG_TYPE}<Override`);
  return docxFile({
    "[Content_Types].xml": types,
    "word/document.xml": String(all["word/document.xml"]),
    "word/_rels/document.xml.rels": relationships.startsWith("<?xml")
      ? relationships
      : `<Relationships xmlns="${PACKAGE}">${relationships}</Relationships>`,
    ...parts,
  });
};

const svgOf = (inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="300" height="300">${inside}</svg>`;

const withSvg = (inside: string): Buffer =>
  template(drawing("rId9"), `<Relationship Id="rId9" Type="${IMAGE}" Target="media/a.svg"/>`, {
    "word/media/a.svg": svgOf(inside),
  });

const linked = (written: string): Buffer => template(drawing("rId9", "link"), written);

/** Templates that lead an office program out of their package, to `target`: a URL of a file or of a server. */
export const reachingOut: Readonly<Record<string, (target: string) => Buffer>> = {
  "an SVG with a picture": (target) => withSvg(`<image width="300" height="300" xlink:href="${target}"/>`),
  "an SVG with a picture, without a prefix": (target) => withSvg(`<image width="300" height="300" href="${target}"/>`),
  "an SVG with a style sheet": (target) =>
    withSvg(`<style>@import url("${target}"); rect { fill: url("${target}") }</style><rect width="300" height="300"/>`),
  "an SVG that uses another": (target) => withSvg(`<use width="300" height="300" xlink:href="${target}#a"/>`),
  "an SVG with a picture, named by entities": (target) =>
    withSvg(
      `<image width="300" height="300" xlink:href="${target.replace(/./g, (letter) => `&#${letter.charCodeAt(0)};`)}"/>`,
    ),
  "an SVG under the name of a PNG": (target) =>
    template(drawing("rId9"), `<Relationship Id="rId9" Type="${IMAGE}" Target="media/a.png"/>`, {
      "word/media/a.png": svgOf(`<image width="300" height="300" xlink:href="${target}"/>`),
    }),
  "an SVG that another package's part names": (target) =>
    template(
      drawing(
        "rId8",
        "embed",
        '<a:extLst><a:ext uri="{96DAC541-7B7A-43D3-8B79-37D633B846F1}"><asvg:svgBlip xmlns:asvg="http://schemas.microsoft.com/office/drawing/2016/SVG/main" r:embed="rId9"/></a:ext></a:extLst>',
      ),
      `<Relationship Id="rId9" Type="${IMAGE}" Target="media/a.svg"/><Relationship Id="rId8" Type="${IMAGE}" Target="media/a.svg"/>`,
      { "word/media/a.svg": svgOf(`<image width="300" height="300" xlink:href="${target}"/>`) },
    ),
  "an external picture": (target) => linked(relationship("rId9", "image", target, "External")),
  "an external picture, spelt by a reference to a character": (target) =>
    linked(relationship("rId9", "image", target, "&#69;xternal")),
  "an external picture, spelt by a hexadecimal reference": (target) =>
    linked(relationship("rId9", "image", target, "&#x45;xternal")),
  "an external picture behind a > in an attribute": (target) =>
    linked(`<Relationship Id="rId9" A=">" Type="${IMAGE}" Target="${target}" TargetMode="External"/>`),
  "an external picture under another prefix": (target) =>
    linked(
      `<?xml version="1.0"?><p.q-r:Relationships xmlns:p.q-r="${PACKAGE}"><p.q-r:Relationship Id="rId9" Type="${IMAGE}" Target="${target}" TargetMode="External"/></p.q-r:Relationships>`,
    ),
  "an external picture in single quotes": (target) =>
    linked(`<Relationship Id='rId9' Type='${IMAGE}' Target='${target}' TargetMode='External'/>`),
  "an external picture on several lines": (target) =>
    linked(`<Relationship\n Id="rId9"\n Type\n=\n"${IMAGE}"\tTarget = "${target}"\n TargetMode\n =\n "External"\n/>`),
  "an external picture that calls itself a hyperlink too": (target) =>
    linked(`<Relationship A='Type="x/hyperlink"' Id="rId9" Type="${IMAGE}" Target="${target}" TargetMode="External"/>`),
  "an external picture behind a comment": (target) =>
    linked(`<!-- <Relationship --><Relationship Id="rId9" Type="${IMAGE}" Target="${target}" TargetMode="External"/>`),
  "an external picture in UTF-16": (target) => {
    const xml = `<?xml version="1.0" encoding="UTF-16"?><Relationships xmlns="${PACKAGE}">${relationship("rId9", "image", target, "External")}</Relationships>`;
    return template(drawing("rId9", "link"), "", {
      "word/_rels/document.xml.rels": Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(xml, "utf16le")]),
    });
  },
  "a picture that calls itself a part of the package": (target) =>
    linked(`<Relationship Id="rId9" Type="${IMAGE}" Target="${target}"/>`),
  "a picture in VML": (target) =>
    template(
      `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:200pt;height:200pt"><v:imagedata src="${target}"/></v:shape></w:pict></w:r></w:p>`,
      "",
    ),
  "a field that includes a picture": (target) =>
    template(
      `<w:p><w:fldSimple w:instr=" INCLUDEPICTURE &quot;${target}&quot; \\d "><w:r><w:t>a</w:t></w:r></w:fldSimple></w:p>`,
      "",
    ),
  "a field that includes a text, in pieces": (target) =>
    template(
      `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>INCLUDE</w:instrText></w:r><w:r><w:instrText>TEXT "${target}"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>a</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
      "",
    ),
  "a chunk of another document": (target) =>
    template('<w:altChunk r:id="rId9"/>', relationship("rId9", "aFChunk", target, "External")),
  "a subdocument": (target) =>
    template('<w:p><w:subDoc r:id="rId9"/></w:p>', relationship("rId9", "subDocument", target, "External")),
  "an object that is linked": (target) =>
    template(
      '<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Link" ProgID="Package" ShapeID="a" DrawAspect="Content" ObjectID="_1" r:id="rId9" UpdateMode="Always"/></w:object></w:r></w:p>',
      relationship("rId9", "oleObject", target, "External"),
    ),
};

/** What may stay or goes without a word: neither is fetched. */
export const harmless: Readonly<Record<string, (target: string) => Buffer>> = {
  "a hyperlink": (target) =>
    template(
      '<w:p><w:hyperlink r:id="rId9"><w:r><w:t>a link</w:t></w:r></w:hyperlink></w:p>',
      relationship("rId9", "hyperlink", target, "External"),
    ),
  "the template that it was made of": (target) =>
    template("", "", {
      "word/settings.xml": `<w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}"><w:attachedTemplate r:id="rId1"/></w:settings>`,
      "word/_rels/settings.xml.rels": `<Relationships xmlns="${PACKAGE}">${relationship("rId1", "attachedTemplate", target, "External")}</Relationships>`,
    }),
};
