import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IdentityProvider, IdentityVerdict } from "@rubrica/identity";
import { systemRuntime } from "@rubrica/runtime";
import { outputOf, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { adapterOf, answer, KEY, startServer } from "@rubrica/test-kit/identity/adapter";
import { blank, picture } from "@rubrica/test-kit/identity/pictures";
import { describe, expect, test } from "vitest";
import { writeTd1 } from "../../apps/simulator/src/identity/td1.ts";
import { differentPhotos, requestPhotographed } from "../support/photographed.ts";
import { serviceInProcess } from "../support/service.ts";

describe("photos that are validated", () => {
  test("let the signer sign once they were approved, and the log tells so", async () => {
    await using service = await serviceInProcess();
    const document = await requestPhotographed(service);
    const { selfie, ...sides } = await differentPhotos();
    await document.upload({ selfie });
    expect(await document.overview()).toMatchObject({ can_sign: false, photos: { selfie: { state: "pending" } } });
    expect((await service.client.postSignature(document.link)).status).toBe(409);
    await document.upload(sides);
    const approved = { state: "approved", attempt: 1, reason: null };
    expect(await document.validated()).toMatchObject({
      can_sign: true,
      photos: { selfie: approved, dni_frontal: approved, dni_trasera: approved },
    });
    await service.client.sign(document.link);
    expect(await document.log()).toEqual(
      expect.arrayContaining([
        "selfie_biometric_validation 1 approved",
        "dni_biometric_validation 1 approved",
        "mrz_validation 1 approved",
        "document_signed",
      ]),
    );
  });

  test("are taken anew where one shows nothing", async () => {
    await using service = await serviceInProcess();
    const document = await requestPhotographed(service);
    await document.upload({ ...(await differentPhotos()), dni_trasera: await blank("#808080") });
    expect(await document.validated()).toMatchObject({
      can_sign: false,
      photos: { selfie: { state: "approved" }, dni_trasera: { state: "rejected", reason: "nothing_to_see" } },
    });
    expect((await service.client.postSignature(document.link)).status).toBe(409);
    await document.upload({ dni_trasera: await picture(4) });
    expect(await document.validated()).toMatchObject({
      can_sign: true,
      photos: { dni_trasera: { state: "approved", attempt: 2 } },
    });
    expect((await document.log()).filter((entry) => entry.includes("validation"))).toEqual([
      "selfie_biometric_validation 1 approved",
      "dni_biometric_validation 1 approved",
      "dni_biometric_validation 1 rejected",
      "dni_biometric_validation 2 approved",
      "mrz_validation 2 approved",
    ]);
  });

  test("are all taken anew where the provider refuses the signer", async () => {
    await using service = await serviceInProcess();
    const document = await requestPhotographed(service);
    const { selfie, ...sides } = await differentPhotos();
    await document.upload({ ...sides, selfie: sides.dni_frontal });
    const rejected = { state: "rejected", reason: "face_not_live" };
    expect(await document.validated()).toMatchObject({
      can_sign: false,
      photos: { selfie: rejected, dni_frontal: rejected, dni_trasera: rejected },
    });
    expect(await document.log()).toContain("provider_rejection");
    await document.upload({ ...sides, selfie });
    expect(await document.validated()).toMatchObject({ can_sign: true });
  });
});

describe("the provider's evidence", () => {
  test("is fetched when the document ends, before its report", async () => {
    await using service = await serviceInProcess();
    const document = await requestPhotographed(service);
    await document.upload(await differentPhotos());
    await document.validated();
    await service.client.sign(document.link);
    const types = await document.eventsUpTo("ReportGenerated");
    expect(types.filter((type) => type === "EvidenceFetched")).toHaveLength(1);
    expect(types.indexOf("EvidenceFetched")).toBeLessThan(types.indexOf("ReportGenerated"));
  });
});

const approved = { result: "approved" as const, reason: null };
/** A provider that says this of every check, and keeps one audit. */
const saying = (verdict: Partial<IdentityVerdict>): IdentityProvider => ({
  provider: { name: "Acme Identity", simulated: false },
  check: async () => ({
    simulated: false,
    selfie: approved,
    idFront: approved,
    idBack: approved,
    mrz: null,
    documentError: null,
    rejection: null,
    ...verdict,
  }),
  evidence: async () => [
    {
      kind: "audit",
      shows: null,
      name: "audit.json",
      mediaType: "application/json",
      bytes: Buffer.from('{"score":0.98}'),
    },
  ],
  forget: async () => undefined,
});

describe("a provider over HTTP", () => {
  const withProvider = (url: string) =>
    serviceInProcess({ environment: { IDENTITY_PROVIDER_URL: url, IDENTITY_PROVIDER_KEY: KEY } });
  const rejected = (reason: string) => ({ state: "rejected", attempt: 1, reason });

  test("says that the identity document can't be used", async () => {
    await using provider = await startServer(adapterOf(saying({ documentError: "expired" })));
    await using service = await withProvider(provider.url);
    const document = await requestPhotographed(service);
    await document.upload(await differentPhotos());
    expect(await document.validated()).toMatchObject({
      can_sign: false,
      photos: { selfie: { state: "approved" }, dni_frontal: rejected("expired"), dni_trasera: rejected("expired") },
    });
    expect(await document.log()).toContain("dni_error");
  });

  test("reads the document of somebody else", async () => {
    const stranger = { name: "Anna Maria Eriksson", idNumber: "31999999", idNumberCountry: "AR" };
    const mrz = writeTd1(stranger, systemRuntime().clock.now());
    await using provider = await startServer(adapterOf(saying({ mrz })));
    await using service = await withProvider(provider.url);
    const document = await requestPhotographed(service);
    await document.upload(await differentPhotos());
    expect(await document.validated()).toMatchObject({
      can_sign: false,
      photos: { selfie: { state: "approved" }, dni_trasera: rejected("number_mismatch") },
    });
    expect(await document.log()).toContain("mrz_validation 1 rejected");
  });

  test("fails, and is asked again", async () => {
    const adapter = adapterOf(saying({}));
    let failures = 1;
    await using provider = await startServer((request, response, body) =>
      failures-- > 0 ? answer(response, 500, {}) : adapter(request, response, body),
    );
    await using service = await withProvider(provider.url);
    const document = await requestPhotographed(service);
    await document.upload(await differentPhotos());
    expect(await document.validated()).toMatchObject({ can_sign: true });
    expect(await document.log()).toEqual(
      expect.arrayContaining(["provider_failed_validation", "selfie_biometric_validation 1 approved"]),
    );
    expect(service.log()).not.toContain(KEY);
  });

  test.skipIf(toolsMissing("pdfdetach", "pdftotext"))("is in the report, also once it is gone", async () => {
    await using provider = await startServer(adapterOf(saying({})));
    await using service = await withProvider(provider.url);
    const document = await requestPhotographed(service);
    await document.upload(await differentPhotos());
    await document.validated();
    await service.client.sign(document.link);
    await document.eventsUpTo("ReportGenerated");
    await provider[Symbol.asyncDispose]();
    const { bytes } = await service.client.read(`/api/v2/reporte/${document.id}`);
    using folder = temporaryFolder();
    const path = join(folder.path, "report.pdf");
    writeFileSync(path, bytes);
    expect(outputOf("pdftotext", "-raw", path, "-").text).toContain("Evidencia obtenida del proveedor de identidad");
    outputOf("pdfdetach", "-save", "1", "-o", join(folder.path, "audit"), path);
    expect(readFileSync(join(folder.path, "audit"), "utf8")).toBe('{"score":0.98}');
  });
});
