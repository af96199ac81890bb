import { expect, test } from "vitest";
import { inDatabase } from "../../src/engines/index.ts";

test.each([
  ["a server", "mongodb://h/", "mongodb://h/tests"],
  ["a server, and no path", "mongodb://h:27017", "mongodb://h:27017/tests"],
  [
    "a replica set",
    "mongodb://a:27017,b:27017,c:27018/rubrica?replicaSet=rs0&tls=true",
    "mongodb://a:27017,b:27017,c:27018/tests?replicaSet=rs0&tls=true",
  ],
  [
    "a user whom the database knows",
    "mongodb://u:p%40q@a,b/rubrica?replicaSet=rs0",
    "mongodb://u:p%40q@a,b/tests?replicaSet=rs0&authSource=rubrica",
  ],
  ["a user whom no database is named for", "mongodb://u:p@h", "mongodb://u:p@h/tests?authSource=admin"],
  [
    "a user who is known elsewhere",
    "mongodb://u:p@h/rubrica?authSource=others",
    "mongodb://u:p@h/tests?authSource=others",
  ],
  [
    "a user by certificate",
    "mongodb://u@h/?authMechanism=MONGODB-X509",
    "mongodb://u@h/tests?authMechanism=MONGODB-X509",
  ],
  ["a name that has the servers", "mongodb+srv://u:p@c.example/rubrica", "mongodb+srv://u:p@c.example/tests"],
])("another database: of %s", (_what, url, other) => {
  expect(inDatabase(url, "tests")).toBe(other);
});

test("what is no URL of MongoDB is not shown", () => {
  expect(() => inDatabase("http://u:secret@h/", "tests")).toThrow(/^MONGODB_URL is no URL of MongoDB$/);
});
