import { hasMongo, type MongoForTests, startMongo } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe } from "vitest";
import { openMongoLeaseStore } from "../../src/lease/mongodb.ts";
import { type Mongo, openMongo } from "../../src/mongodb.ts";
import { leaseStoreContract } from "./contract.ts";

describe.skipIf(!hasMongo())("in MongoDB", () => {
  let server: MongoForTests;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  leaseStoreContract(async () => {
    const opened: Mongo[] = [];
    const url = server.newDatabase();
    return {
      async open() {
        const mongo = await openMongo({ url });
        opened.push(mongo);
        return openMongoLeaseStore({ mongo, name: "projector" });
      },
      async [Symbol.asyncDispose]() {
        await opened[0]?.db.dropDatabase();
        await Promise.all(opened.map((mongo) => mongo.close()));
      },
    };
  });
});
