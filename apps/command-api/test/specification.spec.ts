import { describe, expect, test } from "vitest";
import { ana as bulkAna, bulkWorld, callOf, send } from "./bulk/calls.ts";
import { ana, ask, recorded, requestBy, requestOf } from "./requests.ts";
import { accounts, type World, world } from "./world.ts";

/** What was recorded of a bulk call's only document. */
const onlyDocument = async (made: World, call: object, key?: string) => {
  const { status, body } = await send(made, call, key === undefined ? {} : { key });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const token = made.dependencies.tokens.read(body[0].link.replace("https://sign.example/s/", ""));
  const [event] = await made.eventsOf(`document-${token?.documentId}`);
  if (event?.type !== "DocumentRequested") throw new Error("not requested");
  return event;
};

describe("a bulk call", () => {
  test("always sends its messages: no field of it says otherwise", async () => {
    const made = await bulkWorld();
    const { data } = await onlyDocument(made, callOf({ wpp: false, df: [{ ...bulkAna, wpp: false }] }));
    expect([data.sendMessages, data.signers[0]?.lineId]).toEqual([true, expect.any(String)]);
  });

  test("validates photos on the PRO plan only", async () => {
    const call = callOf({ request_photos: true, validate_photos: true, df: [bulkAna] });
    expect((await onlyDocument(await bulkWorld(), call)).data.authentication).toBe("biometric");
    expect((await onlyDocument(await bulkWorld(), call, "basic")).data.authentication).toBe("photos");
  });

  test("takes any number of variables a signer", async () => {
    const variables = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`campo ${index}`, `${index}`]));
    const { personal } = await onlyDocument(await bulkWorld(), callOf({ df: [{ ...bulkAna, ...variables }] }));
    expect(personal?.variables).toEqual({ ...bulkAna, ...variables });
  });
});

describe("a document request", () => {
  test("spends no credits", async () => {
    const made = await world();
    const creditsOf = async () => {
      const account = await made.dependencies.handlers.accounts.load(accounts.pro);
      return account.status === "open" && account.balance;
    };
    const before = await creditsOf();
    expect((await ask(made, requestOf())).status).toBe(200);
    expect([before, await creditsOf()]).toEqual([10, 10]);
  });

  test.each(["7", "Z", "a1B2", "1-2.3", "Z".repeat(32)])(
    "takes letters and digits of any length and order as ID number of a country without rules: %s",
    async (dni) => {
      const { personal } = await recorded(await world(), requestBy({ ...ana, dni, dni_country: "BR" }));
      expect(personal.signers[0]?.idNumber).toBe(dni.replace(/[.-]/g, "").toUpperCase());
    },
  );
});
