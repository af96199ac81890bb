import type { HttpPlugin } from "@rubrica/http";
import { baseStyle, selfContainedPage } from "@rubrica/pages";
import { type VerifyApiDependencies, verifyApi } from "./verify-api.ts";

export type VerifyWebDependencies = VerifyApiDependencies;

/** The page of `GET /verify`. */
export const verifyPage = selfContainedPage(new URL("page/", import.meta.url), baseStyle);

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": verifyPage.contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
};

/** `GET /verify`, where anybody drops a PDF to have it checked, and `POST /api/verify`, which does it. Neither takes a key. */
export const verifyWeb =
  (dependencies: VerifyWebDependencies): HttpPlugin =>
  async (app) => {
    app.get("/verify", { schema: { hide: true } }, (_request, reply) => reply.headers(headers).send(verifyPage.html));
    await app.register(async (files) => verifyApi(files, dependencies));
  };
