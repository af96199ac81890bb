// The simulators in a process of their own: of phones, and of an identity provider.

import { compose, runProcess, startApp } from "@rubrica/hosting";
import { openImages } from "@rubrica/hosting/shared/images";
import { openNoEngines } from "@rubrica/open-engines";
import { openSimulator } from "./app.ts";

await runProcess(
  startApp({
    name: "simulator",
    engines: openNoEngines,
    keepsFiles: true,
    ownSecret: true,
    async open(host) {
      const images = openImages(host);
      return compose([images, openSimulator(host, { images, serviceUrl: host.config.serviceUrl })]);
    },
  }),
);
