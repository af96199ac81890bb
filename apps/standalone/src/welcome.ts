import { join, relative } from "node:path";
import { demoAccountId } from "@rubrica/events";
import type { Welcome } from "@rubrica/hosting/shared/welcome";
import type { DemoKey } from "./demo-account.ts";

/** What is for the operator alone: it goes to the terminal, and into no answer. */
export interface OperatorKeys {
  /** Opens the phone simulator. */
  simulator: string;
  /** The demo account's; null where there is none. */
  demo: DemoKey | null;
}

/** A contract of the project's own making, for first steps. */
export const SAMPLE_PDF = join(
  import.meta.dirname,
  "..",
  "..",
  "..",
  "packages",
  "pdf",
  "samples",
  "sample-contract.pdf",
);

const curlOf = (url: string, apiKey: string): string => {
  const sample = relative(process.cwd(), SAMPLE_PDF);
  const signer = '{"name":"Ana Paz","dni":"30.123.456","dni_country":"AR","phone":"+54 9 11 2233-4455"}';
  // The PDF goes through a pipe: as an argument it would exceed what a shell allows.
  return [
    `{ printf '{"document_name":"Lease agreement","datos_firmantes":[${signer}],"document":"'; base64 < '${sample}' | tr -d '\\n'; printf '"}'; } |`,
    `  curl -s ${url}/api/v2/documentSet -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' --data-binary @-`,
  ].join("\n");
};

/** How the operator opens the phone simulator: the key stands in the fragment, which browsers send to nobody. */
const simulatorAddress = (simulator: string, key: string): string => `${simulator}#key=${encodeURIComponent(key)}`;

const firstSteps = ({ service, simulator }: Welcome, demo: DemoKey | null): string => {
  if (demo === null) {
    return `There is no demo account at an address that others reach. Make one of your own:

npm run rubrica -- account create --name ACME --plan pro
`;
  }
  if (demo.state !== "active") {
    const taken =
      demo.state === "blocked" ? ` Take it again: npm run rubrica -- key unblock ${demoAccountId} ${demo.keyId}` : "";
    return `The demo account's key is ${demo.state}.${taken}\n`;
  }
  return `Ask for a first signature, in another shell in this folder:

${curlOf(service, demo.apiKey)}

${simulator === null ? "Name a phone of your own: the message goes to WhatsApp." : "Then open the phone simulator: the signer's message is there."}
`;
};

/** The welcome for a terminal. */
export const welcomeText = (welcome: Welcome, { simulator: key, demo }: OperatorKeys): string => {
  const { service, reference, simulator, verification, missing } = welcome;
  return `
Rubrica listens on ${service}

  API reference     ${reference}
${simulator === null ? "" : `  Phone simulator   ${simulatorAddress(simulator, key)}\n`}  Check a PDF       ${verification}
${demo === null ? "" : `  Demo API key      ${demo.apiKey}\n  Webhook secret    ${demo.webhookSecret ?? "none"}\n`}${missing === null ? "" : `\n  ${missing}\n`}
${firstSteps(welcome, demo)}`;
};
