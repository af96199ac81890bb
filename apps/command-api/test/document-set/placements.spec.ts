import { beforeAll, describe, expect, test } from "vitest";
import { ana, ask, faults, pdfOf, recorded, requestBy, requestedOf, requestOf } from "../requests.ts";
import { type World, world } from "../world.ts";

let made: World;
beforeAll(async () => {
  made = await world();
});

type Fields = Record<string, unknown>;
const A4 = [595, 842] as const;
/** Where the signatures of these signers go, in the order of the input. */
const placed = async (signers: Fields[], fields: Fields = {}) =>
  (
    await recorded(made, requestOf({ datos_firmantes: signers.map((one) => ({ ...ana, ...one })), ...fields }))
  ).data.signers.map(({ placement }) => placement);

describe("a signature goes where the request says", () => {
  test("on the last page when none is named", async () => {
    const document = pdfOf(A4, A4, A4);
    expect(await placed([{ position_x: 0, position_y: 0 }], { document })).toEqual([{ pages: "last", x: 0, y: 0 }]);
  });

  test("on the named page, the last one too", async () => {
    const signers = [1, 2].map((page) => ({ position_x: 427, position_y: 770, page }));
    expect(await placed(signers, { document: pdfOf(A4, A4) })).toEqual([
      { pages: 1, x: 427, y: 770 },
      { pages: "last", x: 427, y: 770 },
    ]);
  });

  test("on every page, whatever page is named", async () => {
    const fields = { document: pdfOf(A4, A4), firma_en_todas_las_hojas: true };
    expect(await placed([{ position_x: 5, position_y: 6, page: 1 }], fields)).toEqual([{ pages: "all", x: 5, y: 6 }]);
  });
});

describe("a signature without coordinates", () => {
  test("goes to the bottom left of the last page, the next ones beside it, by signing order", async () => {
    const signers = [{ position: "3" }, { position: "1" }, { position: "2" }];
    expect(await placed(signers, { document: pdfOf([300, 300], A4) })).toEqual([
      { pages: "last", x: 376, y: 742 },
      { pages: "last", x: 28, y: 742 },
      { pages: "last", x: 202, y: 742 },
    ]);
  });

  test("goes on in rows upwards, the first signer's being first as one reads", async () => {
    expect(await placed([{}, {}, {}, {}])).toEqual([
      { pages: "last", x: 28, y: 664 },
      { pages: "last", x: 28, y: 742 },
      { pages: "last", x: 202, y: 742 },
      { pages: "last", x: 376, y: 742 },
    ]);
  });

  test("keeps off those that were placed", async () => {
    expect(await placed([{ position_x: 100, position_y: 740 }, {}])).toEqual([
      { pages: "last", x: 100, y: 740 },
      { pages: "last", x: 376, y: 742 },
    ]);
  });

  test("goes to the page that it names", async () => {
    const document = pdfOf([400, 300], A4);
    expect(await placed([{ page: 1 }, { page: 1 }, {}, { page: 2 }], { document })).toEqual([
      { pages: 1, x: 28, y: 200 },
      { pages: 1, x: 202, y: 200 },
      { pages: "last", x: 28, y: 742 },
      { pages: "last", x: 202, y: 742 },
    ]);
  });

  test("goes to the page before where the last one is full, fifty of them too", async () => {
    const placements = await placed(Array(50).fill({}), { document: pdfOf(A4, A4) });
    expect(placements.map(({ pages }) => pages)).toEqual([...Array(20).fill(1), ...Array(30).fill("last")]);
    expect(placements[17]).toEqual({ pages: 1, x: 28, y: 742 });
    expect(new Set(placements.map((placement) => JSON.stringify(placement))).size).toBe(50);
  });

  test("goes to a page before one that is smaller than a signature", async () => {
    const document = pdfOf(A4, [100, 50]);
    expect(await placed([{}], { document })).toEqual([{ pages: 1, x: 28, y: 742 }]);
  });

  test("is as small as the page, where there is no larger one", async () => {
    expect(await placed([{}], { document: pdfOf([100, 50]) })).toEqual([{ pages: "last", x: 0, y: 4 }]);
  });

  test("may be put over another by its coordinates", async () => {
    const there = { position_x: 100, position_y: 100 };
    expect(await placed([there, there])).toEqual([
      { pages: "last", x: 100, y: 100 },
      { pages: "last", x: 100, y: 100 },
    ]);
  });

  test("goes to every page, where it fits on all of them", async () => {
    const fields = { document: pdfOf(A4, [400, 300]), firma_en_todas_las_hojas: true };
    expect(await placed([{}, {}, {}], fields)).toEqual([
      { pages: "all", x: 28, y: 122 },
      { pages: "all", x: 28, y: 200 },
      { pages: "all", x: 202, y: 200 },
    ]);
  });
});

describe("a placement is refused", () => {
  const PAGE = "must be a page of the document, 1 to 2";
  const X = "must be from 0 to 427 for the signature to be on the page";
  const Y = "must be from 0 to 770 for the signature to be on the page";
  const TOGETHER = "position_x and position_y go together";
  const document = pdfOf(A4, A4);

  test.each<[string, Fields, Fields, ...[string, string][]]>([
    ["past the last page", { page: 3 }, {}, ["page", PAGE]],
    ["past the last page, with coordinates", { page: 3, position_x: 1, position_y: 1 }, {}, ["page", PAGE]],
    ["past the last page, though all are meant", { page: 3 }, { firma_en_todas_las_hojas: true }, ["page", PAGE]],
    [
      "past the last page, though all are meant, with coordinates",
      { page: 3, position_x: 1, position_y: 1 },
      { firma_en_todas_las_hojas: true },
      ["page", PAGE],
    ],
    ["before the first page", { page: 0 }, {}, ["page", "Too small: expected number to be >=1"]],
    ["on half a page", { page: 1.5 }, {}, ["page", "Invalid input: expected int, received number"]],
    ["on a page that is a text", { page: "1" }, {}, ["page", "Invalid input: expected number, received string"]],
    ["with position_x alone", { position_x: 1 }, {}, ["position_y", TOGETHER]],
    ["with position_y alone", { position_y: 1, position_x: null }, {}, ["position_x", TOGETHER]],
    ["out of the page to the right", { position_x: 428, position_y: 0 }, {}, ["position_x", X]],
    ["out of the page below", { position_x: 0, position_y: 771 }, {}, ["position_y", Y]],
    ["out of the page both ways", { position_x: 999, position_y: 999 }, {}, ["position_x", X], ["position_y", Y]],
    ["left of the page", { position_x: -1, position_y: 0 }, {}, ["position_x", "Too small: expected number to be >=0"]],
    [
      "at half a pixel",
      { position_x: 1, position_y: 0.5 },
      {},
      ["position_y", "Invalid input: expected int, received number"],
    ],
  ])("%s", async (_what, signer, fields, ...expected) => {
    const { status, body } = await ask(made, requestBy(signer, { document, ...fields }));
    const named = expected.map(([field, message]): [string, string] => [`datos_firmantes[0].${field}`, message]);
    expect([status, body]).toEqual([400, faults(...named)]);
  });

  test("where it does not fit every page, when all are meant", async () => {
    const fields = { document: pdfOf([400, 300], A4), firma_en_todas_las_hojas: true };
    const { body } = await ask(made, requestBy({ position_x: 300, position_y: 10 }, fields));
    const message = "must be from 0 to 232 for the signature to be on the page";
    expect(body).toEqual(faults(["datos_firmantes[0].position_x", message]));
  });

  test("on a page that is smaller than a signature, out of it once scaled down", async () => {
    const { body } = await ask(made, requestBy({ position_x: 1, position_y: 8 }, { document: pdfOf([100, 50]) }));
    expect(body).toEqual(
      faults(
        ["datos_firmantes[0].position_x", "must be from 0 to 0 for the signature to be on the page"],
        ["datos_firmantes[0].position_y", "must be from 0 to 7 for the signature to be on the page"],
      ),
    );
  });
});

describe("signatures without coordinates, where there is no room,", () => {
  const signers = (count: number, fields: Fields = {}) => Array(count).fill({ ...ana, ...fields });
  const WARNING = "rubrica-warnings";
  const asked = async (fields: Fields) => {
    const { status, body, headers } = await ask(made, requestOf(fields));
    expect([status, body.details]).toEqual([200, undefined]);
    const { data } = await requestedOf(made, body.id_seguimiento);
    const pages = data.signers.map(({ placement }) => placement.pages);
    return { data, pages, warnings: JSON.parse(String(headers[WARNING] ?? "[]")) };
  };

  test("are on a page for them at the document's end, which signers see and sign; the answer tells", async () => {
    const { data, pages, warnings } = await asked({ datos_firmantes: signers(50), document_name: "Lease" });
    expect(pages).toEqual([...Array(30).fill(1), ...Array(20).fill("last")]);
    expect(data.pageCount).toBe(2);
    expect(warnings).toContainEqual({
      path: "document",
      message: "has no room for all signatures: got a page for them",
    });
  });

  test("who comes last in the signing order is on the page that is added", async () => {
    const datos_firmantes = [{ ...ana, position: "99" }, ...signers(30, { position: "1" })];
    expect((await asked({ datos_firmantes })).pages).toEqual(["last", ...Array(30).fill(1)]);
  });

  test("are not on the page that they name once it is full, and the answer tells", async () => {
    const { pages, warnings } = await asked({ document: pdfOf(A4, A4), datos_firmantes: signers(31, { page: 1 }) });
    expect(pages).toEqual([...Array(30).fill(1), "last"]);
    expect(warnings).toContainEqual({
      path: "datos_firmantes[30].page",
      message: "is full: the signature goes on another page",
    });
  });

  test("are over another where all pages are meant", async () => {
    const fields = { document: pdfOf(A4, [400, 300]), firma_en_todas_las_hojas: true, datos_firmantes: signers(7) };
    expect((await asked(fields)).pages).toEqual(Array(7).fill("all"));
  });
});
