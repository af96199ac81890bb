import { claimTurnById, releaseTurn } from "@rubrica/commands";
import { ConflictError } from "@rubrica/event-store";
import { describe, expect, test } from "vitest";
import { ana, ask, leo, requestBy, requestOf } from "../requests.ts";
import { type Asked, asked, post, signature } from "../signing.ts";
import { type Answer, NOW, type World, world } from "../world.ts";

const queueOf = ({ body }: Answer) => ({
  has: body.has_queued_signers,
  urls: body.urls.map(({ queued, queued_behind }: Record<string, unknown>) => [queued, queued_behind]),
});
const free = { has: false, urls: [[false, null]] };
const behind = ({ body }: Answer) => ({ has: true, urls: [[true, body.id_seguimiento]] });

/** Gives up the turn of a document's first signer, as when they have signed. */
const release = async ({ dependencies: { handlers } }: World, { body }: Answer): Promise<void> => {
  const documentId = body.id_seguimiento;
  const document = await handlers.documents.load(documentId);
  const signerId = document.status === "none" ? "" : (document.signers[0]?.signerId ?? "");
  const accountId = document.status === "none" ? "" : document.accountId;
  const context = {
    commandId: `release ${documentId}`,
    accountId,
    actor: "test",
    correlationId: "c",
    causationId: "c",
  };
  await releaseTurn(handlers, documentId, signerId, "signed", context);
};

describe("a phone has one active document", () => {
  test("later ones are queued, behind the document that holds the turn now", async () => {
    const made = await world();
    const first = await ask(made, requestOf());
    expect(queueOf(first)).toEqual(free);
    const second = await ask(made, requestOf());
    expect(queueOf(second)).toEqual(behind(first));
    expect(queueOf(await ask(made, requestOf()))).toEqual(behind(first));
    await release(made, first);
    expect(queueOf(await ask(made, requestOf()))).toEqual(behind(second));
  });

  test("and the link of a queued signer is there already", async () => {
    const made = await world();
    await ask(made, requestOf());
    const { body } = await ask(made, requestOf());
    const page = await made.get(`/api/signing/${body.urls[0].link.split("/s/")[1]}`);
    expect([page.status, page.body.can_sign]).toEqual([200, true]);
  });

  test.each([
    ["written with other separators", "5491122334455"],
    ["without Argentina's 9 for mobiles", "541122334455"],
  ])("however it is written: %s", async (_what, phone) => {
    const made = await world();
    const first = await ask(made, requestOf());
    expect(queueOf(await ask(made, requestBy({ phone })))).toEqual(behind(first));
  });

  test("of each account", async () => {
    const made = await world();
    await ask(made, requestOf());
    expect(queueOf(await ask(made, requestOf(), { key: "basic" }))).toEqual(free);
  });

  test("of those that send messages: the others neither wait nor make others wait", async () => {
    const made = await world();
    expect(queueOf(await ask(made, requestOf({ wpp: false })))).toEqual(free);
    expect(queueOf(await ask(made, requestOf()))).toEqual(free);
    expect(queueOf(await ask(made, requestOf({ wpp: false })))).toEqual(free);
  });

  test("and never waits behind itself", async () => {
    const made = await world();
    const { has, urls } = queueOf(await ask(made, requestOf({ datos_firmantes: [ana, ana] })));
    expect({ has, urls }).toEqual({
      has: false,
      urls: [
        [false, null],
        [false, null],
      ],
    });
  });

  test("in order, when requests come at the same time", async () => {
    const made = await world();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(made, requestOf())));
    const active = answers.filter(({ body }) => !body.has_queued_signers);
    expect(active).toHaveLength(1);
    const holder = active[0] as Answer;
    for (const answer of answers.filter((one) => one !== holder)) expect(queueOf(answer)).toEqual(behind(holder));
  });
});

describe("only the first signer is evaluated at creation", () => {
  test("by signing order, wherever they stand in the list", async () => {
    const made = await world();
    const first = await ask(made, requestOf());
    const signers = [
      { ...leo, position: "2" },
      { ...ana, position: "1" },
    ];
    expect(queueOf(await ask(made, requestOf({ datos_firmantes: signers })))).toEqual({
      has: true,
      urls: [
        [false, null],
        [true, first.body.id_seguimiento],
      ],
    });
  });

  test("later ones show that they are not queued, though their phone is taken", async () => {
    const made = await world();
    await ask(made, requestOf());
    expect(queueOf(await ask(made, requestOf({ datos_firmantes: [leo, ana] })))).toEqual({
      has: false,
      urls: [
        [false, null],
        [false, null],
      ],
    });
  });
});

describe("a phone is free as soon as the answer is there", () => {
  const events = async (made: World, { documentId }: Asked) => {
    const document = await made.document(documentId);
    const lineId = document.status === "none" ? null : document.signers[0]?.lineId;
    return (await made.eventsOf(`phoneLine-${lineId}`)).map(({ type, data }) => [
      type,
      "reason" in data && data.reason,
    ]);
  };

  test("to its signer's signature, which releases the turn once, however often it is sent", async () => {
    const made = await world();
    const first = await asked(made);
    for (const _time of [1, 2]) expect((await post(made, `${first.links[0]}/sign`, signature)).status).toBe(200);
    expect(queueOf(await ask(made, requestOf()))).toEqual(free);
    expect(await events(made, first)).toEqual([
      ["TurnTaken", false],
      ["TurnReleased", "signed"],
    ]);
  });

  test("to a rejection, whoever of the document's signers it came from", async () => {
    const made = await world();
    const first = await asked(made, { datos_firmantes: [ana, leo] });
    expect((await post(made, `${first.links[1]}/reject`, { reason: "wrong amount" })).status).toBe(200);
    expect(queueOf(await ask(made, requestOf()))).toEqual(free);
    expect(await events(made, first)).toEqual([
      ["TurnTaken", false],
      ["TurnReleased", "document_ended"],
    ]);
  });

  test("and the next in line has the turn by then: who comes now waits behind it", async () => {
    const made = await world();
    const first = await asked(made);
    const second = await ask(made, requestOf());
    await post(made, `${first.links[0]}/sign`, signature);
    expect(queueOf(await ask(made, requestOf()))).toEqual(behind(second));
  });

  test.each([
    ["signature", "sign", signature, { signed: true }],
    ["rejection", "reject", { reason: "wrong amount" }, { rejected: true }],
  ])("but a %s is taken even when the phone can't be released now", async (_what, action, body, answer) => {
    const made = await world();
    const first = await asked(made);
    made.dependencies.handlers.lines.handle = () => Promise.reject(new ConflictError("phoneLine-x", 1n, 2n));
    const taken = await post(made, `${first.links[0]}/${action}`, body);
    expect([taken.status, taken.body]).toEqual([200, answer]);
    expect(made.log()).toContain("a turn is given up later");
    expect(await events(made, first)).toEqual([["TurnTaken", false]]);
  });
});

test("a turn that came while the request was held up is not called queued", async () => {
  const made = await world();
  const { lines, documents } = made.dependencies.handlers;
  const first = await ask(made, requestOf());
  const handle = lines.handle.bind(lines);
  lines.handle = async (id, decide, command, context) => {
    const handled = await handle(id, decide, command, context);
    lines.handle = handle;
    await release(made, first);
    const claim = command as unknown as { documentId: string; signerId: string };
    const line = await lines.load(id);
    expect(line.holder?.documentId).toBe(claim.documentId);
    await claimTurnById(made.dependencies.handlers, claim.documentId, claim.signerId, {
      ...context,
      commandId: "s",
    });
    return handled;
  };
  const second = await ask(made, requestOf());
  expect(queueOf(second)).toEqual(free);
  expect(await documents.load(second.body.id_seguimiento)).toMatchObject({ signers: [{ turn: "came" }] });
});

test("a phone that others keep claiming costs nobody a 500: the document is accepted, its claim stays owed", async () => {
  const made = await world();
  const first = await ask(made, requestOf());
  const { lines } = made.dependencies.handlers;
  lines.handle = () => Promise.reject(new ConflictError("phoneLine-x", 1n, 2n));
  const second = await ask(made, requestOf());
  expect([second.status, queueOf(second)]).toEqual([200, behind(first)]);
  const events = await made.eventsOf(`document-${second.body.id_seguimiento}`);
  expect(events.map(({ type, metadata }) => [type, metadata.at])).toEqual([["DocumentRequested", NOW]]);
});
