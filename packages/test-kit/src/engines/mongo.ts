import { systemRandom } from "@rubrica/runtime";
import { hasFerretDb, startFerretDb } from "./ferretdb.ts";
import { borrowFerretDb } from "./shared-ferretdb.ts";

/** A MongoDB, or FerretDB in its place, for the tests of one file. */
export interface MongoForTests extends AsyncDisposable {
  /** Whether it is MongoDB itself. */
  isTrue: boolean;
  /** The URL of a database that nobody has used yet. It stays where the server does: drop it. */
  newDatabase(): string;
}

/** Whether there is one: the true one that MONGODB_URL names, or FerretDB. Says on the console what is skipped without. */
export const hasMongo = (): boolean => process.env.MONGODB_URL !== undefined || hasFerretDb();

/** `mongodb://user:password@host,host/database?options`: of several hosts, which no other kind of URL has. */
const URL_OF_MONGO = /^(mongodb(?:\+srv)?:\/\/)([^/?@]*@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;
/** Options that say where the user is known, or that no database knows them. */
const SAYS_WHERE_USER_IS = /(?:^|&)auth(?:Source=|Mechanism=(?!SCRAM))/i;

/** The URL of another database on the same servers, for the same user. */
export const inDatabase = (url: string, database: string): string => {
  const [, scheme = "", user = "", hosts = "", former = "", given = ""] = URL_OF_MONGO.exec(url) ?? [];
  if (hosts === "") throw new Error("MONGODB_URL is no URL of MongoDB");
  const options = given === "" ? [] : [given];
  // The user is looked for in the database that the URL names. Of mongodb+srv the name server may say another one.
  if (scheme === "mongodb://" && user !== "" && !SAYS_WHERE_USER_IS.test(given))
    options.push(`authSource=${former || "admin"}`);
  return `${scheme}${user}${hosts}/${database}${options.length > 0 ? `?${options.join("&")}` : ""}`;
};

let databases = 0;

/**
 * The true server that MONGODB_URL names; else the FerretDB that the run's files share (RUBRICA_TEST_FERRETDB), or where
 * nothing is shared one of its own.
 */
export const startMongo = async (): Promise<MongoForTests> => {
  const { MONGODB_URL: trueUrl, RUBRICA_TEST_FERRETDB: shared } = process.env;
  const ferretDb = () => (shared === undefined ? startFerretDb() : borrowFerretDb(shared));
  const server = trueUrl === undefined ? await ferretDb() : undefined;
  const url = trueUrl ?? server?.url ?? "";
  // Unlike those of any other run, on a server that outlives this one.
  const run = systemRandom.bytes(6).toString("hex");
  return {
    isTrue: server === undefined,
    newDatabase() {
      databases += 1;
      return inDatabase(url, `rubrica-test-${run}-${databases}`);
    },
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
};
