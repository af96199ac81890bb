import type {} from "@rubrica/http";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { type Asset, contentIn, type Encoding, pageAssets } from "./assets.ts";

/**
 * What may run and load in the signer's page: its own files only. `wasm-unsafe-eval` lets pdf.js compile its image
 * decoders (JPEG 2000, JBIG2) and allows no evaluation of text (CSP Level 3, section 6.1.10).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** On every answer of this plugin; a worker obeys the policy of its own file, so the assets carry it too. */
const securityHeaders = {
  "content-security-policy": contentSecurityPolicy,
  // The token is in the path: no other site is told the address.
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(self), geolocation=(), microphone=(), payment=(), usb=()",
};

/** The page is for people: it is no part of the API that is documented. */
const schema: FastifySchema & { hide: true } = { hide: true };

export interface SigningWebOptions {
  /** Counts a request for the page of a token, and throws when it is one too many. Default: none is counted. */
  count?: (token: string, request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * Serves the page that a signer opens: `GET /s/:token`, the same HTML for every token, and its files under
 * `GET /assets/`, which never change under a name. The page itself calls `/api/signing/:token` on the same origin.
 * Bundles the page's source in memory when it is registered (tens of milliseconds), writes no file, and throws
 * esbuild's error when the source does not build.
 */
export const signingWeb =
  ({ count }: SigningWebOptions = {}): FastifyPluginAsync =>
  async (app) => {
    const { shell, assets } = await pageAssets();

    app.addHook("onRequest", async (_request, reply) => {
      reply.headers(securityHeaders);
    });

    app.get<{ Params: { token: string } }>("/s/:token", { schema, config: { countedBy: "link" } }, (request, reply) => {
      count?.(request.params.token, request, reply);
      return reply.header("cache-control", "no-store").type("text/html; charset=utf-8").send(shell);
    });

    const files = { schema, config: { countedBy: "nobody" as const } };
    app.get<{ Params: { "*": string } }>("/assets/*", files, async (request, reply) => {
      const asset = assets.get(request.params["*"]);
      if (asset === undefined) return reply.code(404).header("cache-control", "no-store").send({ error: "Not found" });
      return sendAsset(asset, request, reply);
    });
  };

const sendAsset = async (asset: Asset, request: FastifyRequest, reply: FastifyReply) => {
  const encoding = encodingFor(asset, request.headers["accept-encoding"]);
  const content = await contentIn(asset, encoding);
  reply.header("cache-control", "public, max-age=31536000, immutable").type(asset.mediaType);
  if (asset.compressible) reply.header("vary", "accept-encoding");
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.send(content);
};

/** The best of what the browser names without refusing it (RFC 9110, section 12.5.3). */
const encodingFor = (asset: Asset, acceptEncoding: string | string[] | undefined): Encoding => {
  if (!asset.compressible || acceptEncoding === undefined) return "identity";
  const accepted = acceptEncoding
    .toString()
    .toLowerCase()
    .split(",")
    .filter((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding))
    .map((coding) => coding.split(";")[0]?.trim());
  if (accepted.includes("br")) return "br";
  return accepted.includes("gzip") ? "gzip" : "identity";
};
