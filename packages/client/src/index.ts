// The API as a typed client: what integrators install.
// It must not know the service's code: it is made of the API's description alone.

import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./openapi.ts";

export type { operations, paths } from "./openapi.ts";
export {
  type RubricaWebhook,
  verifyWebhook,
  type WebhookFault,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./webhooks.ts";

/** A service, and who calls it. */
export interface RubricaClientOptions {
  /** Where the service is reached, without a slash at the end. */
  url: string;
  /** The account's: for servers, never for a page in a browser, where everybody can read it. */
  apiKey: string;
}

/** The API with its addresses, parameters, bodies and answers as types: `client.POST("/api/v2/documentSet", { body })`. */
export type RubricaApi = Client<paths>;

/** A client for the API. Answers come as `{ data, error, response }`: nothing is thrown for a status. */
export const createRubricaClient = ({ url, apiKey }: RubricaClientOptions): RubricaApi =>
  createClient<paths>({ baseUrl: url, headers: { "x-api-key": apiKey } });
