import type { SigningIdentity } from "@rubrica/pdf";
import type { Renderer } from "@rubrica/report/rendering";
import type { Report } from "../verifier.ts";
import { type Circumstances, resultContent } from "./content.ts";
import { spanish } from "./spanish.ts";

/** What results are made with. */
export interface ResultDependencies extends Circumstances {
  /** Best one of its own: what anybody asks for must not wait in front of legal reports. */
  renderer: Pick<Renderer, "render">;
  identity: SigningIdentity;
}

/** Gives what was found of a file as a PDF to keep, with the service's seal. */
export interface Results {
  /** @throws {HelpersBusy} when too many wait. */
  pdf(report: Report, caller: string): Promise<Uint8Array>;
}

/** Results are sealed without a timestamp: anybody could have its authority asked as often as they like. */
export const createResults = ({ renderer, identity, ...circumstances }: ResultDependencies): Results => ({
  pdf: (report, caller) => {
    const named = { kind: "verification", id: report.sha256 } as const;
    const sealing = { identity, sealedAt: report.checkedAt, reason: spanish.title, named };
    return renderer.render(resultContent(report, circumstances), sealing, caller);
  },
});
