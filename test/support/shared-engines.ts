import { shareFerretDb } from "@rubrica/test-kit/engines";

/** One FerretDB for all files of a run that neither stop nor kill it, each in databases of its own. */
export default async (): Promise<() => Promise<void>> => {
  const ferretDb = await shareFerretDb();
  // Inherited by the processes that run files.
  process.env.RUBRICA_TEST_FERRETDB = ferretDb.path;
  return async () => ferretDb[Symbol.asyncDispose]();
};
