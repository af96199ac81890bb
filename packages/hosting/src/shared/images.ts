import { createImages, type Images } from "@rubrica/images";
import type { Host } from "../host.ts";

/** Opens what reads drawings and photos, for all apps of a process. */
export const openImages = ({ runtime: { clock }, budget }: Pick<Host, "runtime" | "budget">): Images =>
  createImages({ clock, budget });
