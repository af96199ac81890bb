import { join, relative } from "node:path";

/** What somebody who just started the service needs to know. */
export interface Welcome {
  service: string;
  reference: string;
  simulator: string;
  verification: string;
  /** The demo account's, for the operator alone. */
  apiKey: string;
  /** A document request, ready to paste into a shell in the folder that the service was started in. */
  curl: string;
  /** What does not work on this machine, and what to do; null when all does. */
  missing: string | null;
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

/** The welcome of a service that is reached at `url`. */
export const welcomeOf = (url: string, apiKey: string, missing?: string): Welcome => ({
  service: url,
  reference: `${url}/reference`,
  simulator: `${url}/simulator`,
  verification: `${url}/verify`,
  apiKey,
  curl: curlOf(url, apiKey),
  missing: missing ?? null,
});

/** The welcome for a terminal. */
export const welcomeText = ({
  service,
  reference,
  simulator,
  verification,
  apiKey,
  curl,
  missing,
}: Welcome): string => `
Rubrica listens on ${service}

  API reference     ${reference}
  Phone simulator   ${simulator}
  Check a PDF       ${verification}
  Demo API key      ${apiKey}
${missing === null ? "" : `\n  ${missing}\n`}
Ask for a first signature, in another shell in this folder:

${curl}

Then open the phone simulator: the signer's message is there.
`;
