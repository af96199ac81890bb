import type { Clock } from "@rubrica/runtime";

/** Limits of one exchange with a server of the signature world. */
export interface ExchangeLimits {
  timeoutMs: number;
  maxBytes: number;
}

/**
 * Fetches bytes by HTTP, within limits of time and size. A user and password in the address are sent as
 * basic authentication. Throws for anything but a 200.
 */
export const exchange = async (
  clock: Clock,
  address: string,
  { timeoutMs, maxBytes }: ExchangeLimits,
  request: { method: "GET" } | { method: "POST"; contentType: string; body: Uint8Array } = { method: "GET" },
): Promise<Uint8Array> => {
  const url = new URL(address);
  const headers = new Headers();
  if (request.method === "POST") headers.set("content-type", request.contentType);
  if (url.username !== "") {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(credentials).toString("base64")}`);
    url.username = "";
    url.password = "";
  }
  const abort = new AbortController();
  const finished = new AbortController();
  void clock.wait(timeoutMs, { signal: finished.signal, background: true }).then(() => abort.abort());
  try {
    const body = request.method === "POST" ? { body: new Uint8Array(request.body) } : {};
    const response = await fetch(url, { method: request.method, headers, signal: abort.signal, ...body });
    if (response.status !== 200) throw new Error(`${url.host} answered ${response.status}`);
    return await bounded(response, maxBytes);
  } catch (error) {
    if (abort.signal.aborted) throw new Error(`${url.host} took more than ${timeoutMs} ms`);
    // The runtime's own error only says that fetching failed.
    throw error instanceof TypeError ? new Error(`${url.host} gave no answer`, { cause: error }) : error;
  } finally {
    finished.abort();
  }
};

const bounded = async (response: Response, maxBytes: number): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
};
