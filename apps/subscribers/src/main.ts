// The subscribers in a process of their own.

import { compose, runProcess, startApp } from "@rubrica/hosting";
import { docxPart, openDocx } from "@rubrica/hosting/shared/docx";
import { openImages } from "@rubrica/hosting/shared/images";
import { openReports } from "@rubrica/hosting/shared/reports";
import { openSigning, signingPart } from "@rubrica/hosting/shared/signing";
import { openEngines } from "@rubrica/open-engines/stores";
import { openSubscribers } from "./app.ts";

await runProcess(
  startApp({
    name: "subscribers",
    engines: openEngines,
    onBus: true,
    links: true,
    seals: true,
    sends: true,
    keepsFiles: true,
    async open(host) {
      const signing = await openSigning(host);
      const docx = await openDocx(host, "office-subscribers");
      const images = openImages(host);
      const reports = openReports(host, images, signing);
      return compose([
        docxPart(docx),
        signingPart(signing, host.runtime),
        images,
        reports,
        await openSubscribers(host, { docx, reports, signing }),
      ]);
    },
  }),
);
