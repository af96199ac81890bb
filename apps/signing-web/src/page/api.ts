/** What the signer's API answers, and how the page asks it. */

export type PhotoKind = "selfie" | "dni_frontal" | "dni_trasera";

export interface Photo {
  /** `missing`, `pending` (being validated), `approved` or `rejected`. */
  state: string;
  attempt: number;
  reason: string | null;
}

export interface SigningState {
  document_name: string;
  business_name: string;
  /** The registered name of the account that asks, where the business name is another. */
  account_name: string | null;
  signer: { name: string; dni: string };
  status: "pending" | "signed" | "rejected" | "ended";
  /** Null while the document is being prepared, like its hash. */
  page_count: number | null;
  document_sha256: string | null;
  request_photos: boolean;
  photos: Partial<Record<PhotoKind, Photo>>;
  can_sign: boolean;
  consent: { version: string; text: string };
  /** Until when it can be signed; missing where it has no end. */
  expires_at?: string;
  /** IANA, by which that is shown. */
  time_zone?: string;
  /** How the document ended, where the status does not tell. */
  end?: { kind: "rejected" | "canceled" | "expired"; at: string; reason: string | null };
}

/** The state of a document that can be read. */
export type ReadyState = SigningState & { page_count: number; document_sha256: string };

export interface Signature {
  /** The drawing, as a PNG data URI. */
  garabato: string;
  consent_version: string;
  document_sha256: string;
  time_zone: string;
  signature_method: SignatureMethod;
}

/** How a signature came to be: drawn by hand, or a name that was typed. */
export type SignatureMethod = "drawn" | "typed";

/** An answer other than 2xx; status 0 when there was none (no network, or too slow). */
export class ApiError extends Error {
  readonly status: number;
  /** By which the service tells refusals of one status apart; undefined where it says none. */
  readonly code: string | undefined;
  /** Who asked for the signature, where that is all that the service knows still. */
  readonly businessName: string | undefined;
  constructor(status: number, { code, business_name }: { code?: unknown; business_name?: unknown } = {}) {
    super(status === 0 ? "no answer" : `HTTP ${status}`);
    this.status = status;
    this.code = typeof code === "string" ? code : undefined;
    this.businessName = typeof business_name === "string" ? business_name : undefined;
  }
}

export interface SigningApi {
  state(signal?: AbortSignal): Promise<SigningState>;
  /** The PDF's bytes; `progress` gets the part that has arrived, 0 to 1, when the size is known. */
  document(signal: AbortSignal, progress: (part: number) => void): Promise<Uint8Array<ArrayBuffer>>;
  /** Tells that a person opened the page; its failure is nobody's concern. */
  opened(): void;
  sign(signature: Signature): Promise<void>;
  reject(reason: string): Promise<void>;
  uploadPhoto(kind: PhotoKind, photo: Blob): Promise<void>;
  /** Whether the sealed PDF is there. */
  sealedReady(signal: AbortSignal): Promise<boolean>;
  readonly documentUrl: string;
  readonly signedUrl: string;
}

const answerTimeoutMs = 30_000;
const uploadTimeoutMs = 120_000;
const stallTimeoutMs = 30_000;
/** How often the page retries by itself after a `Retry-After`, and how long it waits each time at most. */
const busyRetries = 3;
const busyPauseLimitSeconds = 10;

/** The API for one link; `base` is its address, `…/api/signing/{token}`. */
export const signingApi = (base: string): SigningApi => {
  const post = async (path: string, body: BodyInit, mediaType: string, timeoutMs: number): Promise<void> => {
    const init = { method: "POST", body, headers: { "content-type": mediaType } };
    await request(`${base}/${path}`, init, timeoutMs);
  };
  const postJson = (path: string, body: unknown) =>
    post(path, JSON.stringify(body), "application/json", answerTimeoutMs);

  return {
    documentUrl: `${base}/document`,
    signedUrl: `${base}/signed`,
    state: async (signal) => {
      const response = await request(base, { signal: signal ?? null, cache: "no-store" }, answerTimeoutMs);
      return response.json().catch(() => Promise.reject(new ApiError(0)));
    },
    document: (signal, progress) => readWithProgress(`${base}/document`, signal, progress),
    opened: () => {
      postJson("opened", {}).catch(() => undefined);
    },
    sign: (signature) => postJson("sign", signature),
    reject: (reason) => postJson("reject", { reason }),
    uploadPhoto: (kind, photo) => post(`photos/${kind}`, photo, photo.type, uploadTimeoutMs),
    sealedReady: async (signal) => {
      try {
        const response = await request(`${base}/signed`, { signal, cache: "no-store" }, answerTimeoutMs);
        await response.body?.cancel();
        return true;
      } catch (error) {
        if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return false;
        throw error;
      }
    },
  };
};

const refusal = async (response: Response): Promise<ApiError> => {
  const body: unknown = response.status === 410 ? await response.json().catch(() => undefined) : undefined;
  return new ApiError(response.status, typeof body === "object" && body !== null ? body : {});
};

/** Asks; where the service is busy and says for how long, again after that: nothing was done. */
const request = async (url: string, init: RequestInit, timeoutMs: number): Promise<Response> => {
  for (let retries = 0; ; retries++) {
    const response = await requestOnce(url, init, timeoutMs);
    if (response.ok) return response;
    const pauseSeconds = response.status === 503 ? Number(response.headers.get("retry-after")) : 0;
    const comesAgain = pauseSeconds > 0 && pauseSeconds <= busyPauseLimitSeconds && retries < busyRetries;
    if (!comesAgain || init.signal?.aborted) throw await refusal(response);
    await new Promise((resolve) => setTimeout(resolve, pauseSeconds * 1_000));
  }
};

const requestOnce = async (url: string, init: RequestInit, timeoutMs: number): Promise<Response> => {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), timeoutMs);
  const abort = () => giveUp.abort();
  init.signal?.addEventListener("abort", abort, { once: true });
  if (init.signal?.aborted) abort();
  try {
    return await fetch(url, { ...init, signal: giveUp.signal, credentials: "omit" });
  } catch {
    throw new ApiError(0);
  } finally {
    clearTimeout(timer);
    init.signal?.removeEventListener("abort", abort);
  }
};

/** Reads a body of any size, giving up only when nothing comes for a while: a slow network is no error. */
const readWithProgress = async (url: string, signal: AbortSignal, progress: (part: number) => void) => {
  const stalled = new AbortController();
  const stop = () => stalled.abort();
  signal.addEventListener("abort", stop, { once: true });
  let timer = setTimeout(stop, stallTimeoutMs);
  try {
    const response = await fetch(url, { signal: stalled.signal, cache: "no-store", credentials: "omit" });
    if (!response.ok || response.body === null) throw new ApiError(response.status);
    const sizeBytes = Number(response.headers.get("content-length") ?? 0);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let readBytes = 0;
    const reader = response.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(stop, stallTimeoutMs);
      chunks.push(next.value);
      readBytes += next.value.length;
      if (sizeBytes > 0) progress(Math.min(1, readBytes / sizeBytes));
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(0);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
};
