/** One of Meta's refusals, as its documentation lists them: what is answered with `status`. */
export class MetaError extends Error {
  readonly status: number;
  readonly code: number;
  readonly details: string;
  readonly subcode: number | undefined;
  /** For `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: number, details = "", { subcode, retryAfterSeconds, status }: MetaErrorOptions = {}) {
    super(`(#${code}) ${TITLES[code] ?? "Unknown error"}`);
    this.name = "MetaError";
    this.code = code;
    this.details = details;
    this.subcode = subcode;
    this.retryAfterSeconds = retryAfterSeconds;
    this.status = status ?? STATUSES[code] ?? 400;
  }

  /** The body of the answer. */
  body(): object {
    return {
      error: {
        message: this.message,
        type: "OAuthException",
        code: this.code,
        ...(this.subcode === undefined ? {} : { error_subcode: this.subcode }),
        error_data: { messaging_product: "whatsapp", details: this.details },
        fbtrace_id: "AxfhJSxoXyZ",
      },
    };
  }
}

/** What a refusal may bear beside its code. */
export interface MetaErrorOptions {
  subcode?: number;
  retryAfterSeconds?: number;
  /** In place of the documented one. */
  status?: number;
}

const TITLES: Readonly<Record<number, string>> = {
  1: "API Unknown",
  2: "API Service",
  10: "Permission Denied",
  100: "Invalid parameter",
  190: "Access token has expired",
  368: "Temporarily blocked for policies violations",
  80007: "Rate limit issues",
  130429: "Rate limit hit",
  131000: "Something went wrong",
  131008: "Required parameter is missing",
  131009: "Parameter value is not valid",
  131026: "Message Undeliverable",
  131047: "Re-engagement message",
  131048: "Spam rate limit hit",
  131051: "Unsupported message type",
  131056: "(Business Account, Consumer Account) pair rate limit hit",
  132000: "Number of parameters does not match the expected number of params",
  132001: "Template name does not exist in the translation",
  132005: "Translated text too long",
  132012: "Parameter format does not match format in the created template",
  132018: "There's an issue with the parameters in your template",
};

const STATUSES: Readonly<Record<number, number>> = { 2: 503, 10: 403, 190: 401, 368: 403, 131000: 500, 132001: 404 };
