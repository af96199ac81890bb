// A second process on a service's stores: requests documents for one phone through the commands, as the CLI might.
// Arguments: data folder, account id, phone, how many. Prints a line when it starts, then the id of each
// document that was accepted.
import { acceptDocument } from "@rubrica/commands";
import { configFrom } from "@rubrica/config";
import { derivedId } from "@rubrica/events";
import { phoneLine } from "@rubrica/identity";
import { openEngines } from "@rubrica/open-engines/stores";
import { systemRuntime } from "@rubrica/runtime";
import { phoneLookup } from "@rubrica/secrets";
import { samplePdf } from "@rubrica/test-kit";
import { bareRequest } from "@rubrica/test-kit/bare-request";

const [dataDir = "", accountId = "", phone = "", count = "0"] = process.argv.slice(2);
const runtime = systemRuntime();
const { handlers, files, keys, secrets, close } = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
const lookup = phoneLookup(secrets, accountId, phoneLine(phone));
const bytes = await samplePdf();
const accept = async (number: number): Promise<void> => {
  const documentId = runtime.ids.uuidv7();
  const person = { name: `Signer ${number}`, idNumber: "30123456", idNumberCountry: "AR", phone, email: null };
  const command = {
    ...bareRequest,
    requester: null,
    requestIp: null,
    documentId,
    bytes,
    sentBytes: null,
    pageCount: 1,
    account: { accountId, plan: "pro" as const, businessName: null },
    signers: [
      {
        ...person,
        phoneLookup: lookup,
        signerId: derivedId("signer", documentId),
        idCustom: documentId,
        placement: { pages: 1, x: 60, y: 700 },
      },
    ],
  };
  const context = { accountId, actor: "operator", correlationId: documentId, causationId: documentId };
  await acceptDocument({ handlers, files, keys, runtime }, command, { commandId: documentId, ...context });
  console.log(documentId);
};
console.log("starting");
await Promise.all(Array.from({ length: Number(count) }, (_, number) => accept(number)));
await close();
