// The query API in a process of its own.

import { compose, runProcess, startApp } from "@rubrica/hosting";
import { openDirectory } from "@rubrica/hosting/shared/directory";
import { openImages } from "@rubrica/hosting/shared/images";
import { openReports } from "@rubrica/hosting/shared/reports";
import { openSigning, signingPart } from "@rubrica/hosting/shared/signing";
import { openStores } from "@rubrica/open-engines/stores";
import { openQueryApi } from "./app.ts";
import { apiPages } from "./pages/pages.ts";

await runProcess(
  startApp({
    name: "query-api",
    engines: openStores,
    links: true,
    seals: true,
    async open(host) {
      const accounts = openDirectory(host);
      const images = openImages(host);
      const signing = await openSigning(host);
      const reports = openReports(host, images, signing);
      return compose([
        accounts,
        signingPart(signing, host.runtime),
        images,
        reports,
        openQueryApi(host, { accounts: accounts.directory, reports }),
        apiPages(host),
      ]);
    },
  }),
);
