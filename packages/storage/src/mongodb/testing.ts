import { type Mongo, openMongo } from "./open.ts";

/** The connections of a test, each to a database that is its own. */
export interface MongoConnections {
  connect(url: string): Promise<Mongo>;
  /** Drops the databases and closes the connections. */
  drop(): Promise<void>;
}

export const createMongoConnections = (): MongoConnections => {
  const opened: Mongo[] = [];
  return {
    async connect(url) {
      const mongo = await openMongo({ url });
      opened.push(mongo);
      return mongo;
    },
    async drop() {
      for (const one of opened.splice(0)) {
        await one.db.dropDatabase();
        await one.close();
      }
    },
  };
};
