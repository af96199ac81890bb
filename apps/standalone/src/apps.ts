import { openCommandApi } from "@rubrica/command-api";
import { type App, type Host, ownAddress } from "@rubrica/hosting";
import { openDirectory } from "@rubrica/hosting/shared/directory";
import { type Docx, docxPart, openDocx } from "@rubrica/hosting/shared/docx";
import { openImages } from "@rubrica/hosting/shared/images";
import { openReports } from "@rubrica/hosting/shared/reports";
import { openSigning, signingPart } from "@rubrica/hosting/shared/signing";
import type { Images } from "@rubrica/images";
import { openProjector } from "@rubrica/projector";
import { openQueryApi } from "@rubrica/query-api";
import type { Projection } from "@rubrica/read-models";
import { openSigningWeb } from "@rubrica/signing-web";
import { openSimulator } from "@rubrica/simulator";
import { openSubscribers } from "@rubrica/subscribers";
import { openVerifyWeb } from "@rubrica/verify-web";

/** Where tests put their faults. */
export interface Faults {
  /** Awaited before each batch of events is projected. */
  beforeProjecting?: () => Promise<void>;
  /** What runs in a projection's place. */
  inPlaceOf?: (projection: Projection) => Projection;
  /** In place of what this machine prepares DOCX with. */
  docx?: Docx;
}

/** All apps, in one process. */
export interface Apps {
  /** By their names. */
  apps: Readonly<Record<string, App>>;
  /** What several of them work with. */
  shared: readonly App[];
  /** What does not work on this machine, and what to do; undefined when all does. */
  missing: string | undefined;
}

/**
 * Opens every app, and once what several of them share.
 * @throws {ConfigError} when what the configuration names can't be used. @throws {DataFolderError} @throws {StoreFileError}
 */
export const openApps = async (host: Host, faults: Faults = {}): Promise<Apps> => {
  const accounts = openDirectory(host);
  const { directory } = accounts;
  const signing = await openSigning(host);
  const docx = faults.docx ?? (await openDocx(host));
  const images = openImages(host);
  const reports = openReports(host, images, signing);
  const subscribers = await openSubscribers(host, { docx, reports, signing });
  const { beforeProjecting, inPlaceOf } = faults;
  const projector = openProjector(host, { kinds: subscribers.kinds, beforeProjecting, inPlaceOf });
  return {
    apps: {
      "command-api": openCommandApi(host, { directory, docx, images }),
      "query-api": openQueryApi(host, { accounts: directory, reports }),
      "signing-web": openSigningWeb(host),
      "verify-web": openVerifyWeb(host, { signing }),
      projector,
      subscribers,
      ...simulatorOf(host, images),
    },
    shared: [accounts, docxPart(docx), signingPart(signing, host.runtime), images, reports],
    missing: docx.missing,
  };
};

/** The simulator, unless there is one elsewhere, or signers are not reached by it where others reach the service. */
const simulatorOf = (host: Host, images: Images): Record<string, App> => {
  const { config } = host;
  if (config.simulatorUrl !== undefined || (!config.messaging.includes("simulator") && !config.local)) return {};
  return { simulator: openSimulator(host, { images, serviceUrl: ownAddress(config), isOwnProcess: true }) };
};
