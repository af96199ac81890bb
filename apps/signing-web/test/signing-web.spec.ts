import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signingWeb } from "../src/signing-web.ts";

describe("the files of the signing page", () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    app = Fastify();
    await app.register(signingWeb());
  });
  afterAll(() => app.close());

  const page = () => app.inject("/s/c2VjcmV0LXRva2Vu");
  const assetUrls = async () =>
    Array.from((await page()).body.matchAll(/"\.\.(\/assets\/[^"]+)"/g), ([, url]) => url ?? "");

  test("a link answers HTML that names neither the token nor any other site", async () => {
    const { statusCode, headers, body } = await page();
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(body).toContain('<html lang="es">');
    expect(body).not.toContain("c2VjcmV0LXRva2Vu");
    expect(body).not.toMatch(/https?:|\/\/[a-z]/);
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son[a-z]+=/);
  });

  test("no copy is kept, no referrer is sent, no frame and no search engine shows it", async () => {
    const { headers } = await page();
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex, nofollow, noarchive",
    });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|\*|https?:|data:/);
  });

  test("its files are kept for ever, since another content has another name", async () => {
    const urls = await assetUrls();
    expect(urls).toHaveLength(3);
    for (const url of urls) {
      expect(url).toMatch(/-[0-9a-f]{16}\.(js|css|svg)$/);
      const { statusCode, headers } = await app.inject(url);
      expect(statusCode).toBe(200);
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(headers["content-security-policy"]).toBeDefined();
    }
  });

  test("the page's own code is small", async () => {
    const sizes = await Promise.all(
      (await assetUrls()).map(async (url) => {
        const { rawPayload } = await app.inject({ url, headers: { "accept-encoding": "br" } });
        return rawPayload.length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(20_000);
  });

  test("what the browser accepts decides the content coding", async () => {
    const [url = ""] = (await assetUrls()).filter((each) => each.endsWith(".js"));
    const get = (acceptEncoding: string) => app.inject({ url, headers: { "accept-encoding": acceptEncoding } });
    const plain = await get("identity");
    const brotli = await get("gzip, deflate, br, zstd");
    const gzip = await get("gzip;q=1.0, br;q=0");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(brotli.headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(brotliDecompressSync(brotli.rawPayload)).toEqual(plain.rawPayload);
    expect(gunzipSync(gzip.rawPayload)).toEqual(plain.rawPayload);
  });

  test.each([
    ["legacy/build/pdf.min.mjs", "text/javascript; charset=utf-8"],
    ["legacy/build/pdf.worker.min.mjs", "text/javascript; charset=utf-8"],
    ["cmaps/UniGB-UCS2-H.bcmap", "application/octet-stream"],
    ["standard_fonts/LiberationSans-Regular.ttf", "font/ttf"],
    ["wasm/openjpeg.wasm", "application/wasm"],
  ])("pdf.js finds its %s", async (path, mediaType) => {
    const [url = ""] = (await assetUrls()).filter((each) => each.endsWith(".js"));
    const folder = (await app.inject(url)).body.match(/pdfjs-\d+\.\d+\.\d+/)?.[0];
    const { statusCode, headers, rawPayload } = await app.inject(`/assets/${folder}/${path}`);
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe(mediaType);
    expect(rawPayload.length).toBeGreaterThan(1_000);
  });

  test.each(["/assets/nothing.js", "/assets/", "/assets/../package.json", "/assets/..%2f..%2fpackage.json"])(
    "%s is not found",
    async (url) => {
      const { statusCode, headers } = await app.inject(url);
      expect(statusCode).toBe(404);
      expect(headers["cache-control"] ?? "").not.toContain("immutable");
    },
  );
});
