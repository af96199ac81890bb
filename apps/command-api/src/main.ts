// The command API in a process of its own.

import { compose, runProcess, startApp } from "@rubrica/hosting";
import { openDirectory } from "@rubrica/hosting/shared/directory";
import { docxPart, openDocx } from "@rubrica/hosting/shared/docx";
import { openImages } from "@rubrica/hosting/shared/images";
import { openStores } from "@rubrica/open-engines/stores";
import { openCommandApi } from "./app.ts";

await runProcess(
  startApp({
    name: "command-api",
    engines: openStores,
    links: true,
    keepsFiles: true,
    async open(host) {
      const accounts = openDirectory(host);
      const docx = await openDocx(host, "office-command-api");
      const images = openImages(host);
      const { directory } = accounts;
      return compose([accounts, docxPart(docx), images, openCommandApi(host, { directory, docx, images })]);
    },
  }),
);
