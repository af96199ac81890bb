import type { Images } from "@rubrica/images";
import type { Stores } from "@rubrica/open-engines";
import { createReports, type Reports } from "@rubrica/report";
import type { Host } from "../host.ts";
import { type Signing, timestampsOf } from "./signing.ts";

/** Opens what sets and seals legal reports. */
export const openReports = (
  { config, engines: { journal, known, files, erasures }, runtime: { clock }, budget, publicUrl }: Host<Stores>,
  images: Images,
  { identity }: Signing,
): Reports => {
  const timestamps = timestampsOf(config);
  const reports = createReports({ journal, known, files, images, identity, timestamps, clock, publicUrl, budget });
  erasures.onErased(() => reports.evict());
  return reports;
};
