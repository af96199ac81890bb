import type { Stores } from "@rubrica/engines";
import type { Images } from "@rubrica/images";
import { createReports, type Reports } from "@rubrica/report";
import type { Host } from "../host.ts";
import type { Signing } from "./signing.ts";

/** Opens what sets and seals legal reports. */
export const openReports = (
  { engines: { journal, files, erasures }, runtime: { clock }, budget, publicUrl }: Host<Stores>,
  images: Images,
  { identity }: Signing,
): Reports => {
  const reports = createReports({ journal, files, images, identity, clock, publicUrl, budget });
  erasures.onErased(() => reports.release());
  return reports;
};
