// The checking of PDFs in a process of its own.

import { compose, runProcess, startApp } from "@rubrica/hosting";
import { openSigning, signingPart } from "@rubrica/hosting/shared/signing";
import { openRecords } from "@rubrica/open-engines/records";
import { openVerifyWeb } from "./app.ts";

await runProcess(
  startApp({
    name: "verify-web",
    engines: openRecords,
    seals: true,
    async open(host) {
      const signing = await openSigning(host);
      return compose([signingPart(signing, host.runtime), openVerifyWeb(host, { signing })]);
    },
  }),
);
