import { describe, expect, test } from "vitest";
import { mendViews, type Viewed } from "../../src/mongodb/views.ts";

/** What is asked of a database's views, without one. */
const databaseWith = (views: Record<string, { viewOn: string; pipeline: unknown }>, others: readonly string[] = []) => {
  const listed = ({ name, type }: { name?: string; type?: string }) =>
    [
      ...Object.entries(views).map(([view, options]) => ({ name: view, type: "view", options })),
      ...others.map((other) => ({ name: other, type: "collection", options: {} })),
    ].filter((one) => (name ?? one.name) === one.name && (type ?? one.type) === one.type);
  return {
    listCollections: (filter: object) => ({ toArray: async () => listed(filter) }),
    createCollection: async (name: string, options: { viewOn: string; pipeline: unknown }) => {
      if (others.includes(name) || views[name]) throw Object.assign(new Error("it is there"), { code: 48 });
      views[name] = options;
    },
    command: async ({ collMod, viewOn, pipeline }: { collMod: string; viewOn: string; pipeline: unknown }) => {
      views[collMod] = { viewOn, pipeline };
    },
  } as unknown as Parameters<typeof mendViews>[0];
};

describe("views that are mended", () => {
  const view = (name: string, stage: object = { $match: {} }) => ({ name, pipeline: [stage] });
  const live = (version: number, number: string, views = [view("a"), view("b")]): Viewed => ({
    name: "c",
    version,
    records: `readModel.c.${version}.${number}`,
    views,
  });
  const viewOn = (views: Record<string, { viewOn: string }>) => Object.values(views).map((one) => one.viewOn);

  test("are made over the live generation, follow a swap, and go to a higher version once it is alone", async () => {
    const views = {};
    const database = databaseWith(views);
    await mendViews(database, async () => [live(1, "aa")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.aa", "readModel.c.1.aa"]);
    await mendViews(database, async () => [live(1, "bb")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.bb", "readModel.c.1.bb"]);
    await mendViews(database, async () => [live(2, "cc"), live(1, "bb")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.bb", "readModel.c.1.bb"]);
    await mendViews(database, async () => [live(2, "cc")]);
    expect(viewOn(views)).toEqual(["readModel.c.2.cc", "readModel.c.2.cc"]);
    // A former release that begins anew.
    await mendViews(database, async () => [live(1, "dd"), live(2, "cc")]);
    expect(viewOn(views)).toEqual(["readModel.c.2.cc", "readModel.c.2.cc"]);
  });

  test("are made otherwise where they are told otherwise", async () => {
    const views: Record<string, { viewOn: string; pipeline: unknown }> = {};
    await mendViews(databaseWith(views), async () => [live(1, "aa")]);
    await mendViews(databaseWith(views), async () => [live(1, "aa", [view("a", { $unset: "x" }), view("b")])]);
    expect(views.a?.pipeline).toEqual([{ $unset: "x" }]);
  });

  test("end up on what is live when it changes meanwhile", async () => {
    const views = {};
    let looks = 0;
    await mendViews(databaseWith(views), async () => [live(1, looks++ === 0 ? "aa" : "bb")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.bb", "readModel.c.1.bb"]);
  });

  test("leave alone what somebody else calls so", async () => {
    const views = {};
    await mendViews(databaseWith(views, ["a"]), async () => [live(1, "aa")]);
    expect(Object.keys(views)).toEqual(["b"]);
  });
});
