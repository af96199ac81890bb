import type { Db } from "mongodb";

/** Whether FerretDB answers in MongoDB's place: 1.24 has no views, and of aggregation only the simplest. */
export const isFerretDb = async (db: Db): Promise<boolean> => {
  const build = await db.command({ buildInfo: 1 });
  return Object.keys(build).some((name) => name.startsWith("ferretdb"));
};
