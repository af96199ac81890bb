import { createHash } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
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
  /** What the signer opens. */
  link: string;
  scenario: Scenario;
  /** What the page posted, in order. */
  requests: { operation: Operation; body: unknown }[];
  count(operation: Operation): number;
}

/** Serves all tests of a file: the page is bundled, and its files are compressed, once. */
export interface FakeServer extends AsyncDisposable {
  /** A service that nobody has asked yet, under a token of its own: no request of another test's page comes to it. */
  serve(pdf: Buffer): FakeService;
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
export const fakeServer = async (): Promise<FakeServer> => {
  const app = Fastify({ bodyLimit: 20_000_000 });
  const services = new Map<string, FakeService>();
  await app.register(signingWeb());
  routes(app, (token) => {
    const service = services.get(token);
    if (!service) throw new Error(`nothing is served under ${token}`);
    return service;
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    serve: (pdf) => {
      const requests: FakeService["requests"] = [];
      const token = `a-token-${services.size}`;
      const service: FakeService = {
        link: `${url}/s/${token}`,
        scenario: { state: pendingState(pdf), pdf, failures: {}, busy: {}, gates: {}, sealed: true },
        requests,
        count: (operation) => requests.filter((request) => request.operation === operation).length,
      };
      services.set(token, service);
      return service;
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
};

type OfToken = { Params: { token: string } };

const routes = (app: FastifyInstance, serviceOf: (token: string) => FakeService): void => {
  app.addContentTypeParser(/^image\//, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const answer = async (
    { params, body: sent }: FastifyRequest<OfToken>,
    operation: Operation,
    reply: FastifyReply,
    send: (scenario: Scenario) => unknown,
    body: unknown = sent ?? null,
  ) => {
    const { scenario, requests } = serviceOf(params.token);
    requests.push({ operation, body });
    await scenario.gates[operation];
    const busy = scenario.busy[operation] ?? 0;
    if (busy > 0) {
      scenario.busy[operation] = busy - 1;
      return reply.code(503).header("retry-after", 1).send({ error: "busy" });
    }
    const failure = scenario.failures[operation];
    const { business_name } = scenario.state;
    return failure === undefined
      ? send(scenario)
      : reply.code(failure).send({ error: "no", code: scenario.code, business_name });
  };
  const pdfReply = (reply: FastifyReply, { pdf }: Scenario) => reply.type("application/pdf").send(pdf);

  app.get<OfToken>("/api/signing/:token", (request, reply) =>
    answer(request, "state", reply, ({ state }) => reply.send(state)),
  );
  app.get<OfToken>("/api/signing/:token/document", (request, reply) =>
    answer(request, "document", reply, (scenario) => pdfReply(reply, scenario)),
  );
  app.get<OfToken>("/api/signing/:token/signed", (request, reply) =>
    answer(request, "signed", reply, (scenario) =>
      scenario.sealed ? pdfReply(reply, scenario) : reply.code(404).send({ error: "No se encontró el archivo" }),
    ),
  );
  app.post<OfToken>("/api/signing/:token/opened", (request, reply) => answer(request, "opened", reply, () => ({})));
  app.post<OfToken & { Body: SignBody }>("/api/signing/:token/sign", (request, reply) =>
    answer(request, "sign", reply, ({ state }) => {
      if (request.body.document_sha256 !== state.document_sha256) return reply.code(409).send({ error: "no" });
      state.status = "signed";
      return { signed: true };
    }),
  );
  app.post<OfToken>("/api/signing/:token/reject", (request, reply) =>
    answer(request, "reject", reply, ({ state }) => {
      state.status = "rejected";
      return { rejected: true };
    }),
  );
  app.post<{ Params: { token: string; kind: string } }>("/api/signing/:token/photos/:kind", (request, reply) => {
    const { kind } = request.params;
    const taken = ({ state }: Scenario) => {
      const photos = { ...(state.photos as Record<string, unknown>) };
      photos[kind] = { state: "approved", attempt: 1, reason: null };
      state.photos = photos;
      state.can_sign = Object.keys(photos).length === 3;
      return {};
    };
    return answer(request, "photos", reply, taken, { kind, photo: request.body });
  });
};
