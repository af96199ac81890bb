import type { DomainEvent } from "@rubrica/events";
import { sample } from "@rubrica/events";
import { beforeEach, describe, expect, test } from "vitest";
import { type AccountName, accounts, type Given, request, type World, world } from "./world.ts";

const idOf = (number: number) => `019aa5c0-0000-7000-8000-0000000001${String(number).padStart(2, "0")}`;
const at = (number: number) => `2026-11-21T15:${String(number).padStart(2, "0")}:00.000Z`;

let made: World;
beforeEach(() => {
  made = world();
});

/** Documents that were asked for minute by minute, each by a signer with their own phone. */
const requested = (number: number, campaignId: number | null = null, account: AccountName = "own") => {
  const placement = { pages: 1, x: 1, y: 1 };
  made.history.add(
    "DocumentRequested",
    {
      at: at(number),
      accountId: accounts[account],
      data: {
        documentId: idOf(number),
        campaignId,
        signers: [{ signerId: sample.signerId, lineId: null, order: 0, group: 0, placement }],
      },
      personal: {
        documentName: `Document ${number}`,
        signers: [
          {
            idCustom: `own-${number}`,
            name: `Signer ${number}`,
            idNumber: `3000000${number}`,
            idNumberCountry: "AR",
            phone: `549112233440${number}`,
            email: null,
          },
        ],
      },
    },
    { kind: "document", id: idOf(number) },
  );
};
const happened = <Type extends DomainEvent["type"]>(number: number, type: Type, given: Given<Type> = {}) =>
  made.history.add(type, { at: at(40 + number), ...given }, { kind: "document", id: idOf(number) });
const find = async (query = "", account: AccountName = "own") => {
  const response = await made.get(`/api/v2/documents${query}`, account);
  return { status: response.statusCode, body: response.json() };
};
const foundBy = async (query: string, account: AccountName = "own") =>
  (await find(query, account)).body.documents.map(({ document_name: name }: { document_name: string }) =>
    Number(name.split(" ").at(-1)),
  );

describe("documents are found", () => {
  beforeEach(() => {
    requested(1, 7);
    requested(2);
    requested(3, 7);
    requested(4, null, "mate");
    requested(5, 7, "foreign");
    happened(1, "DocumentSigned");
    happened(1, "DocumentCompleted");
    happened(3, "DocumentWithdrawn", { personal: { text: "The rent changed" } });
  });

  test("of the account and its team, the newest first, with where each stands", async () => {
    expect(await foundBy("")).toEqual([4, 3, 2, 1]);
    expect(await foundBy("", "foreign")).toEqual([5]);
    const { body } = await find("?campaign_id=7");
    expect(body).toEqual({
      documents: [
        {
          id_seguimiento: idOf(3),
          document_name: "Document 3",
          status: "ended",
          end: { kind: "canceled", at: at(43), reason: "The rent changed" },
          created_at: at(3),
          ended_at: at(43),
          expires_at: null,
          signers: [
            { id_custom: "own-3", name: "Signer 3", contact: "5491122334403", status: "ended", signed_at: null },
          ],
        },
        {
          id_seguimiento: idOf(1),
          document_name: "Document 1",
          status: "signed",
          end: { kind: "signed", at: at(41), reason: null },
          created_at: at(1),
          ended_at: at(41),
          expires_at: null,
          signers: [
            { id_custom: "own-1", name: "Signer 1", contact: "5491122334401", status: "signed", signed_at: at(41) },
          ],
        },
      ],
      next_cursor: null,
    });
  });

  test.each([
    ["?status=pending", [4, 2]],
    ["?status=signed", [1]],
    ["?status=ended&campaign_id=7", [3]],
    ["?status=pending&campaign_id=7", []],
    ["?phone=%2B54%20(11)%202233-4402", [2]],
    ["?phone=5491122334405", []],
    ["?dni=3.000.0003", [3]],
    ["?id_custom=own-4", [4]],
    ["?id_custom=own-4&status=signed", []],
    [`?from=${at(2)}&to=${at(3)}`, [2]],
    [`?to=${at(4)}`, [3, 2, 1]],
    ["?from=2026-11-21T12:03:00-03:00", [4, 3]],
    ["?from=0001-01-01T00:00:00Z", [4, 3, 2, 1]],
    ["?to=0001-01-01T00:00:00Z", []],
    ["?to=1970-01-01T00:00:00Z", []],
    ["?dni=A%26B010101XX1", []],
  ])("by %s", async (query, numbers) => expect(await foundBy(query)).toEqual(numbers));

  test("page by page, whatever came meanwhile", async () => {
    const first = await find("?limit=2");
    expect(first.body.documents).toHaveLength(2);
    requested(6);
    expect(await foundBy(`?limit=2&cursor=${first.body.next_cursor}`)).toEqual([2, 1]);
    const last = await find(`?limit=3&cursor=${first.body.next_cursor}`);
    expect(last.body.next_cursor).toBeNull();
    expect(await foundBy(`?status=pending&limit=5&cursor=${first.body.next_cursor}`)).toEqual([2]);
  });

  test("by who a signer is since they were corrected, and named so", async () => {
    const before = {
      idCustom: "own-2",
      name: "Signer 2",
      idNumber: "30000002",
      idNumberCountry: "AR",
      phone: "5491122334402",
      email: null,
    };
    happened(2, "SignerCorrected", { personal: { before, after: { ...before, name: "Zoe", phone: "5491122334499" } } });
    expect(await foundBy("?phone=5491122334402")).toEqual([]);
    const { body } = await find("?phone=5491122334499");
    expect(body.documents[0].signers).toMatchObject([{ id_custom: "own-2", name: "Zoe", contact: "5491122334499" }]);
    const { signers } = (await made.get(`/api/v2/signers/${idOf(2)}/metadata`, "own")).json();
    expect(signers).toMatchObject([{ nombre: "Zoe", celular: "5491122334499", dni: "30000002" }]);
  });

  test("but by nobody who was erased, and named no more", async () => {
    happened(3, "DocumentErased", { data: { customIds: [] } });
    expect((await find("?dni=3.000.0003")).body.documents).toEqual([]);
    const { body } = await find("?status=ended");
    expect(body.documents).toMatchObject([
      { id_seguimiento: idOf(3), document_name: null, end: { kind: "canceled", reason: null } },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/Signer 3|own-3|5491122334403|rent/);
  });

  test.each([
    ["?cursor=abc", "cursor"],
    ["?cursor=MTIz", "cursor"],
    ["?limit=101", "limit"],
    ["?limit=0", "limit"],
    ["?status=open", "status"],
    ["?phone=12", "phone"],
    ["?phone=5491122334402&dni=30123456", "phone"],
    ["?from=2026-11-21", "from"],
    ["?campaign_id=", "campaign_id"],
    ["?dni=.-", "dni"],
    ["?statuss=pending", "statuss"],
  ])("not by %s", async (query, path) => {
    const { status, body } = await find(query);
    expect([status, body.details.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]]);
  });
});

test("a document that was answered before is found; while it can't be, the answer is to come again", async () => {
  request(made, sample.documentId, "c1");
  expect((await find("?id_custom=c1")).body.documents).toHaveLength(1);
  made.state.stopped = ["listed-documents"];
  request(made, sample.otherDocumentId, "c2");
  expect((await find()).status).toBe(503);
});
