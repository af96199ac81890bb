import { createHash } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { signingWeb } from "../src/signing-web.ts";

/** What the fake service does with each request; tests change it while the page is open. */
export interface Scenario {
  state: Record<string, unknown>;
  pdf: Buffer;
  /** Statuses that override the fake's own answer, by operation. */
  failures: Partial<Record<Operation, number>>;
  /** Beside what fails. */
  code?: string;
  /** How often operations say that they are busy, and for a second, before they answer. */
  busy: Partial<Record<Operation, number>>;
  /** Operations that wait for this before they answer. */
  gates: Partial<Record<Operation, Promise<void>>>;
  sealed: boolean;
}

export type Operation = "state" | "document" | "opened" | "sign" | "reject" | "signed" | "photos";

export interface SignBody {
  garabato: string;
  consent_version: string;
  document_sha256: string;
  time_zone: string;
  signature_method: string;
}

export interface FakeService {
  url: string;
  scenario: Scenario;
  /** What the page posted, in order. */
  requests: { operation: Operation; body: unknown }[];
  count(operation: Operation): number;
  close(): Promise<void>;
}

export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** The state of a signer who has everything before them. */
export const pendingState = (pdf: Buffer): Record<string, unknown> => ({
  document_name: "Contrato de locación de vivienda",
  business_name: "Inmobiliaria Del Parque S.A.",
  account_name: null,
  signer: { name: "María José Núñez", dni: "30123456" },
  status: "pending",
  page_count: 3,
  document_sha256: sha256(pdf),
  request_photos: false,
  photos: {},
  can_sign: true,
  consent: {
    version: "2026-01",
    text: "Acepto firmar este documento por medios electrónicos y entiendo que mi firma tiene el mismo valor que la manuscrita. Autorizo a guardar mi nombre, número de documento, dirección IP y la hora de la firma como evidencia.",
  },
});

/** The signer's API as the specification of the page has it, over real HTTP, and the page itself beside it. */
export const fakeService = async (pdf: Buffer): Promise<FakeService> => {
  const app = Fastify({ bodyLimit: 20_000_000 });
  const requests: FakeService["requests"] = [];
  const scenario: Scenario = { state: pendingState(pdf), pdf, failures: {}, busy: {}, gates: {}, sealed: true };
  await app.register(signingWeb());
  routes(app, scenario, (operation, body) => requests.push({ operation, body }));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    scenario,
    requests,
    count: (operation) => requests.filter((request) => request.operation === operation).length,
    close: () => app.close(),
  };
};

type Note = (operation: Operation, body: unknown) => void;

const routes = (app: FastifyInstance, scenario: Scenario, note: Note): void => {
  app.addContentTypeParser(/^image\//, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const answer = async (operation: Operation, body: unknown, reply: FastifyReply, send: () => unknown) => {
    note(operation, body);
    await scenario.gates[operation];
    const busy = scenario.busy[operation] ?? 0;
    if (busy > 0) {
      scenario.busy[operation] = busy - 1;
      return reply.code(503).header("retry-after", 1).send({ error: "busy" });
    }
    const failure = scenario.failures[operation];
    const { business_name } = scenario.state;
    return failure === undefined
      ? send()
      : reply.code(failure).send({ error: "no", code: scenario.code, business_name });
  };
  const pdfReply = (reply: FastifyReply) => reply.type("application/pdf").send(scenario.pdf);

  app.get("/api/signing/:token", (_, reply) => answer("state", null, reply, () => reply.send(scenario.state)));
  app.get("/api/signing/:token/document", (_, reply) => answer("document", null, reply, () => pdfReply(reply)));
  app.get("/api/signing/:token/signed", (_, reply) =>
    answer("signed", null, reply, () =>
      scenario.sealed ? pdfReply(reply) : reply.code(404).send({ error: "No se encontró el archivo" }),
    ),
  );
  app.post("/api/signing/:token/opened", (request, reply) => answer("opened", request.body, reply, () => ({})));
  app.post<{ Body: SignBody }>("/api/signing/:token/sign", (request, reply) =>
    answer("sign", request.body, reply, () => {
      if (request.body.document_sha256 !== scenario.state.document_sha256) return reply.code(409).send({ error: "no" });
      scenario.state.status = "signed";
      return { signed: true };
    }),
  );
  app.post("/api/signing/:token/reject", (request, reply) =>
    answer("reject", request.body, reply, () => {
      scenario.state.status = "rejected";
      return { rejected: true };
    }),
  );
  app.post<{ Params: { kind: string } }>("/api/signing/:token/photos/:kind", (request, reply) =>
    answer("photos", { kind: request.params.kind, photo: request.body }, reply, () => {
      const photos = { ...(scenario.state.photos as Record<string, unknown>) };
      photos[request.params.kind] = { state: "approved", attempt: 1, reason: null };
      scenario.state.photos = photos;
      scenario.state.can_sign = Object.keys(photos).length === 3;
      return {};
    }),
  );
};
