import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { IdentityCheck, IdentityPhoto, IdentityProvider } from "@rubrica/identity";

/** A server on the loopback. */
export interface TestServer extends AsyncDisposable {
  url: string;
}

/** Answers a request whose body has been read: who answers earlier may break the connection off. */
export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

export const startServer = async (handler: Handler): Promise<TestServer> => {
  const server = createServer(async (request, response) => handler(request, response, await text(request)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/identity`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

export const answer = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};

export const KEY = "s3cret-key";
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** An adapter as docs/identity-provider.md describes it, in front of a provider. It first says once that it is still working. */
export const adapterOf = (provider: Pick<IdentityProvider, "check" | "evidence" | "forget">): Handler => {
  const begun = new Set<string>();
  const signal = new AbortController().signal;
  return async (request, response, body) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return answer(response, 401, {});
    const [, subject] = /^\/identity\/subjects\/([^/]+)\/evidence$/.exec(request.url ?? "") ?? [];
    if (request.method === "GET" && subject) {
      const files = await provider.evidence(decodeURIComponent(subject), signal);
      if (files.length === 0) return answer(response, 404, {});
      const fields = files.map(({ bytes, ...file }) => ({
        ...file,
        sha256: sha256Of(bytes),
        base64: Buffer.from(bytes).toString("base64"),
      }));
      return answer(response, 200, { files: fields, more: "unknown" });
    }
    const [, forgotten] = /^\/identity\/subjects\/([^/]+)$/.exec(request.url ?? "") ?? [];
    if (request.method === "DELETE" && forgotten) {
      await provider.forget(decodeURIComponent(forgotten), signal);
      return answer(response, 200, {});
    }
    if (request.method !== "POST" || request.url !== "/identity/checks") return answer(response, 404, {});
    const check = JSON.parse(body) as CheckJson;
    if (request.headers["idempotency-key"] !== check.checkId) return answer(response, 400, {});
    if (!begun.has(check.checkId)) {
      begun.add(check.checkId);
      return answer(response, 202, {}, { "retry-after": "0" });
    }
    const verdict = await provider.check({ ...check, photos: photosOf(check.photos) }, signal);
    answer(response, 200, { ...verdict, more: "unknown" });
  };
};

interface PhotoJson {
  attempt: number;
  mediaType: string;
  sha256: string;
  base64: string;
}
type CheckJson = Omit<IdentityCheck, "photos"> & { photos: Record<keyof IdentityCheck["photos"], PhotoJson> };

const photosOf = ({ selfie, idFront, idBack }: CheckJson["photos"]): IdentityCheck["photos"] => ({
  selfie: photoOf(selfie),
  idFront: photoOf(idFront),
  idBack: photoOf(idBack),
});

const photoOf = ({ attempt, mediaType, sha256, base64 }: PhotoJson): IdentityPhoto => {
  const jpeg = Buffer.from(base64, "base64");
  if (mediaType !== "image/jpeg" || sha256Of(jpeg) !== sha256) throw new Error("a photo is not what it says");
  return { attempt, jpeg };
};
