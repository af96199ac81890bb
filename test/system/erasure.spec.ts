import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { configFrom } from "@rubrica/config";
import { demoAccountId } from "@rubrica/events";
import { phoneLine } from "@rubrica/identity";
import { openEngines } from "@rubrica/open-engines/stores";
import { personHmac } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import { createSecrets, phoneLookup, simulatorKeys } from "@rubrica/secrets";
import {
  eventually,
  outputOf,
  type RubricaClient,
  rubricaClient,
  runCommandLine,
  samplePdf,
  samplePhoto,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { templateFor } from "../support/messages.ts";
import { filesUnder, filesWith, findings, isIn } from "../support/search.ts";

const runtime = systemRuntime();

/** What is erased: each is found nowhere else. */
const telltales = {
  name: "Zoraida Quetzalcoatl",
  idNumber: "31415926",
  phone: "5491127182818",
  documentName: "Sale of the Xochimilco yacht",
  businessName: "Nautica Popocatepetl SA",
  parameter: "customer-1618033",
} as const;
const { name, idNumber, phone, documentName, businessName, parameter } = telltales;
const fields = {
  document_name: documentName,
  wpp_business_name: businessName,
  custom_parameters: { reference: parameter },
};
const person = { name, dni: idNumber, dni_country: "AR", phone };

/** Runs the command line beside whatever else works on the folder. */
const rubrica = async (dataDir: string, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCommandLine({ DATA_DIR: dataDir }, ...args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
};

interface Document {
  id: string;
  idCustom: string;
  link: string;
}
const documentOf = ({ id_seguimiento, urls: [first] }: Awaited<ReturnType<RubricaClient["requestDocument"]>>) => ({
  id: id_seguimiento,
  idCustom: first?.id_custom ?? "",
  link: first?.link ?? "",
});

/** One document signed and sealed with photos, one rejected, one open; and one of another person, sealed too. */
const someDocuments = async (client: RubricaClient) => {
  const pdf = await samplePdf();
  const signed = documentOf(await client.requestDocument(pdf, [person], { ...fields, request_photos: true }));
  const token = signed.link.replace(/^.*\/s\//, "");
  await client.press((await templateFor(client, phone, documentName)).id, "continue");
  for (const [kind, photo] of [
    ["selfie", "selfie"],
    ["dni_frontal", "idFront"],
    ["dni_trasera", "idBack"],
  ] as const) {
    const path = `/api/signing/${token}/photos/${kind}`;
    const { status } = await client.send("POST", path, await samplePhoto(photo), { "content-type": "image/jpeg" });
    expect(status).toBe(200);
  }
  await eventually(
    "the provider's word",
    async () => (await client.read(`/api/signing/${token}`)).json<{ can_sign: boolean }>().can_sign,
  );
  await client.sign(signed.link);
  const rejected = documentOf(await client.requestDocument(pdf, [person], fields));
  await client.reject(rejected.link, `${name} never owed that`);
  const open = documentOf(await client.requestDocument(pdf, [person], fields));
  const other = sampleSigner(7, { phone });
  const kept = documentOf(await client.requestDocument(pdf, [other], { document_name: "Kept", wpp: false }));
  await client.sign(kept.link);
  for (const { id } of [signed, rejected, kept])
    await eventually("the report", async () => (await client.read(`/api/v2/reporte/${id}`)).status === 200);
  return { signed, rejected, open, kept };
};

/** Every address that answers about a document. */
const addressesOf = ({ id, idCustom, link }: Document): string[] => {
  const token = link.replace(/^.*\/s\//, "");
  return [
    ...[id, idCustom].flatMap((one) => [
      `/api/v2/signatureStatus/${one}`,
      `/api/eventLogs/${one}`,
      `/api/v2/signers/${one}/metadata`,
      `/api/v2/documents/${one}`,
      `/api/v2/reporte/${one}`,
      ...["selfie", "dni_frontal", "dni_trasera"].map((kind) => `/api/v2/signers/${one}/photos/${idCustom}/${kind}/1`),
    ]),
    ...["", "/document", "/signed"].map((path) => `/api/signing/${token}${path}`),
    `/s/${token}`,
  ];
};

/** What a PDF's pages say, where there is the tool for it; nothing of anything else. */
const printed = (bytes: Buffer, folder: string): string => {
  if (!bytes.subarray(0, 5).equals(Buffer.from("%PDF-")) || toolsMissing("pdftotext")) return "";
  const path = join(folder, "printed.pdf");
  writeFileSync(path, bytes);
  return outputOf("pdftotext", "-raw", path, "-").text;
};

/** Which of the texts each address gives away; and with which status it answers. */
const readingsOf = async (client: RubricaClient, document: Document, folder: string) => {
  const statuses: Record<string, number> = {};
  const told: string[] = [];
  for (const address of addressesOf(document)) {
    const { status, bytes } = await client.read(address);
    const all = Buffer.concat([bytes, Buffer.from(printed(bytes, folder))]);
    statuses[address.replaceAll(document.id, "{id}").replaceAll(document.idCustom, "{idCustom}")] = status;
    told.push(...Object.values(telltales).flatMap((text) => (isIn(all, text) ? [`${text} at ${address}`] : [])));
  }
  return { statuses, told };
};

/** Which of the texts the simulators give away to who has their keys, and whether there is evidence of the subject. */
const toldBySimulators = async (client: RubricaClient, key: string, subject: string): Promise<string[]> => {
  const told: string[] = [];
  for (const address of ["messages", `messages?phone=${phone}`, "chats", `chats/${phone}`]) {
    const { status, bytes } = await client.send("GET", `/simulator/${address}`);
    expect(status).toBe(200);
    told.push(...Object.values(telltales).flatMap((text) => (isIn(bytes, text) ? [`${text} at ${address}`] : [])));
  }
  const { provider } = simulatorKeys(createSecrets({ current: Buffer.alloc(32) }), key);
  const path = `/simulator/identity/subjects/${encodeURIComponent(subject)}/evidence`;
  const { status } = await client.send("GET", path, undefined, { authorization: `Bearer ${provider}` });
  expect([200, 404]).toContain(status);
  return status === 200 ? [...told, "evidence"] : told;
};

const statusAt = (statuses: Record<string, number>, part: string) =>
  Object.entries(statuses).flatMap(([address, status]) => (address.includes(part) ? [status] : []));

/** What photos begin with, and so do all pictures that are made of them. */
const jpegMark = Buffer.from("ffd8ffdb004300", "hex");

test("an erased document names nobody any more: live, in every process, after a restart and a restore", async () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const environment = { LOG_LEVEL: "trace" };
  await using service = await startServiceProcess({ dataDir, environment });
  const client = rubricaClient(service);
  const { signed, rejected, open, kept } = await someDocuments(client);
  const erased = [signed, rejected, open];

  // Yesterday's backup, and caches as warm as they get: in the service, and in another process.
  const backup = join(elsewhere.path, "keys.sqlite");
  const live = new DatabaseSync(join(dataDir, "keys.sqlite"));
  live.exec(`VACUUM INTO '${backup}'`);
  live.close();
  cpSync(join(dataDir, "files"), join(elsewhere.path, "files"), { recursive: true });
  const sealed = (await client.read(`/api/v2/documents/${signed.id}`)).bytes;
  for (const document of erased)
    expect((await readingsOf(client, document, elsewhere.path)).told.length).toBeGreaterThan(4);
  const keptBefore = await readingsOf(client, kept, elsewhere.path);
  const second = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
  /**
   * What people are looked up by: who has SECRET could try every phone, or number, until one gives it. Another document
   * of the phone stays, that sends no messages.
   */
  const macs = {
    "its line's": phoneLookup(second.secrets, demoAccountId, phoneLine(phone)),
    "the number's": personHmac(second.customIdHmac, demoAccountId, "dni", idNumber),
  };
  const state = await second.handlers.documents.load(signed.id);
  const [signerId] = state.status === "none" ? [] : state.signers.map((signer) => signer.signerId);
  const simulatorsTell = (asked: RubricaClient) =>
    toldBySimulators(asked, service.simulatorKey, `${signed.id}/${signerId}`);
  const isNamedIn = async ({ id }: Document) => {
    const state = await second.handlers.documents.load(id);
    const first = await second.journal.readFirst(`document-${id}`);
    return [JSON.stringify(state).includes(name), first?.personal !== null, (await second.keys.find(id)) !== undefined];
  };
  try {
    for (const document of erased) expect(await isNamedIn(document)).toEqual([true, true, true]);
    expect(findings(dataDir, macs)).not.toEqual([]);
    expect(await simulatorsTell(client)).toEqual(
      expect.arrayContaining([
        `${name} at messages`,
        `${name} at chats`,
        `${documentName} at chats/${phone}`,
        "evidence",
      ]),
    );
    for (const { id } of erased)
      expect(JSON.parse(await rubrica(dataDir, "erase", "--document", id, "--json"))).toMatchObject({ erased: true });
    for (const document of erased) expect(await isNamedIn(document)).toEqual([false, false, false]);
  } finally {
    await second.close();
  }

  await eventually("the simulators' forgetting", async () => (await simulatorsTell(client)).length === 0);

  const expectForgotten = async (asked: RubricaClient) => {
    for (const document of erased) {
      const { statuses, told } = await readingsOf(asked, document, elsewhere.path);
      expect(told).toEqual([]);
      for (const part of ["/metadata", "/photos/", "/api/v2/documents/"])
        expect(new Set(statusAt(statuses, part))).toEqual(new Set([410]));
      expect(new Set(statusAt(statuses, "/api/signing/"))).toEqual(new Set([410]));
      for (const part of ["/signatureStatus/", "/eventLogs/"])
        expect(new Set(statusAt(statuses, part))).toEqual(new Set([200]));
      const report = document === open ? 404 : 200;
      expect(new Set(statusAt(statuses, "/reporte/"))).toEqual(new Set([report]));
    }
    expect(await simulatorsTell(asked)).toEqual([]);
    expect(findings(dataDir, { ...telltales, ...macs })).toEqual([]);
    expect(filesWith(dataDir, jpegMark)).toEqual([]);
    expect(await readingsOf(asked, kept, elsewhere.path)).toEqual(keptBefore);
    const verdict = await asked.send("POST", "/api/verify", sealed, { "content-type": "application/pdf" });
    expect(verdict.status).toBe(200);
    expect(isIn(Buffer.from(verdict.text), signed.id)).toBe(true);
  };
  await expectForgotten(client);
  expect(await rubrica(dataDir, "audit", "verify")).toContain("every chain holds");
  expect(isIn(Buffer.from(service.log()), name)).toBe(false);
  await service.end("SIGTERM");

  await using restarted = await startServiceProcess({ dataDir, environment, port: service.port });
  await expectForgotten(rubricaClient(restarted));
  await restarted.end("SIGKILL");

  for (const file of ["keys.sqlite", "keys.sqlite-wal", "keys.sqlite-shm", "files"])
    rmSync(join(dataDir, file), { recursive: true, force: true });
  cpSync(backup, join(dataDir, "keys.sqlite"));
  cpSync(join(elsewhere.path, "files"), join(dataDir, "files"), { recursive: true });
  const filesBefore = filesUnder(join(dataDir, "files")).length;
  await using restored = await startServiceProcess({ dataDir, environment, port: service.port });
  await expectForgotten(rubricaClient(restored));
  expect(filesUnder(join(dataDir, "files")).length).toBeLessThan(filesBefore);
  await restored.end("SIGTERM");
  const after = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
  try {
    for (const { id } of erased) expect(await after.keys.find(id)).toBeUndefined();
    expect(await after.keys.find(kept.id)).toBeDefined();
  } finally {
    await after.close();
  }
});
