import { isIP } from "node:net";
import type { HttpPlugin } from "@rubrica/http";
import { contentSecurityPolicy } from "@rubrica/pages";
import type { FastifyRequest } from "fastify";
import type { Welcome } from "./welcome.ts";

const style = `
:root { color-scheme: light dark; --ink: #16223a; --dim: #5b6780; --line: #d9dfeb; --paper: #fff; --ground: #f4f6fb; --accent: #1d4ed8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf6; --dim: #9aa7c2; --line: #2c3650; --paper: #161d2e; --ground: #0e1422; --accent: #7ea2ff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { margin: 0; font: 600 2.2rem/1.2 Georgia, serif; }
p { margin: .5rem 0 1.5rem; color: var(--dim); }
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); }
.card { display: block; padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); color: inherit; text-decoration: none; }
.card:hover, .card:focus-visible { border-color: var(--accent); }
.card strong { display: block; color: var(--accent); }
.card span { font-size: .9rem; color: var(--dim); }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
pre { margin: 0; padding: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); font: .82rem/1.55 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy({ style }),
};

/**
 * `GET /`: what `npm start` prints, as a page or as JSON. The demo account's key is shown only to who sits at the machine
 * itself: a connection from loopback, to a loopback name, through no proxy.
 */
export const landingPage =
  (welcome: Welcome): HttpPlugin =>
  async (app) => {
    app.get("/", { schema: { hide: true } }, async (request, reply) => {
      const { apiKey, curl, ...open } = welcome;
      const shown = isFromThisMachine(request) ? { ...open, api_key: apiKey, curl } : open;
      if (!request.headers.accept?.includes("text/html")) return shown;
      return reply.headers(headers).send(pageOf(shown) as never);
    });
  };

const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));

const isFromThisMachine = ({ socket, headers, hostname }: FastifyRequest): boolean => {
  const remote = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  const proxied = "forwarded" in headers || "x-forwarded-for" in headers || "via" in headers;
  return isLoopback(remote) && isLoopback(hostname.replace(/^\[|\]$/g, "")) && !proxied;
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const linkTo = (url: string, title: string, what: string): string =>
  `<a class="card" href="${escaped(url)}"><strong>${title}</strong><span>${what}</span></a>`;

const pageOf = (
  shown: Omit<Welcome, "apiKey" | "curl"> & { api_key?: string; curl?: string },
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rubrica</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Rubrica</h1>
<p>Electronic signatures on an event log. This service runs at ${escaped(shown.service)}.</p>
<div class="cards">
${linkTo(shown.reference, "API reference", "Every endpoint, with examples")}
${linkTo(shown.simulator, "Phone simulator", "What signers get on their phones")}
${linkTo(shown.verification, "Check a PDF", "Is it intact, by whom, and on record")}
</div>
${shown.missing === null ? "" : `<p>${escaped(shown.missing)}</p>\n`}${shown.api_key && shown.curl ? `<h2>Demo API key</h2><pre>${escaped(shown.api_key)}</pre><h2>A first signature</h2><pre>${escaped(shown.curl)}</pre><p>Paste it into a shell in the folder where the service was started; the signer’s message is then on the phone simulator.</p>` : ""}
</main>
</body>
</html>`;
