import { documentEvents, sample } from "@rubrica/events";
import { History, projected } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { sealedFiles } from "../../src/index.ts";

const fileOf = (byte: string) => ({ file: { ...sample.pdf, sha256: byte.repeat(32) } });

test("each sealed file means its document", () => {
  const history = new History();
  history.add("DocumentSealed", { data: fileOf("aa") });
  history.add("DocumentSealed", { data: fileOf("bb") }, { kind: "document", id: sample.otherDocumentId });
  expect(Object.fromEntries(projected(sealedFiles, history.events))).toEqual({
    ["aa".repeat(32)]: { documentId: sample.documentId },
    ["bb".repeat(32)]: { documentId: sample.otherDocumentId },
  });
});

test("a document is known by its sealed file and by each that was augmented from it", () => {
  const history = new History();
  history.add("DocumentSealed", { data: fileOf("aa") });
  history.add("SealAugmented", { data: fileOf("cc") });
  expect(Object.fromEntries(projected(sealedFiles, history.events))).toEqual({
    ["aa".repeat(32)]: { documentId: sample.documentId },
    ["cc".repeat(32)]: { documentId: sample.documentId },
  });
});

test("a seal applied twice changes nothing", () => {
  const event = new History().add("DocumentSealed", { data: fileOf("aa") });
  const once = sealedFiles.project(null, event, "aa".repeat(32));
  expect(once).toEqual({ documentId: sample.documentId });
  expect(sealedFiles.project(once, event, "aa".repeat(32))).toEqual(once);
});

test.each(
  documentEvents.map(({ type }) => type).filter((type) => type !== "DocumentSealed" && type !== "SealAugmented"),
)("%s says nothing of sealed files", (type) => {
  expect(sealedFiles.keysOf(new History().add(type))).toEqual([]);
});
