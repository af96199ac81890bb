import type { HttpPlugin } from "@rubrica/http";
import { contentSecurityPolicy } from "@rubrica/pages";
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
`;

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy({ style }),
};

/** `GET /`: where things are, as a page or as JSON. It holds no key: those are printed where the service was started. */
export const landingPage =
  (welcome: Welcome): HttpPlugin =>
  async (app) => {
    const page = pageOf(welcome);
    app.get("/", { schema: { hide: true } }, async (request, reply) => {
      if (!request.headers.accept?.includes("text/html")) return welcome;
      return reply.headers(headers).send(page);
    });
  };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const linkTo = (url: string, title: string, what: string): string =>
  `<a class="card" href="${escaped(url)}"><strong>${title}</strong><span>${what}</span></a>`;

const pageOf = ({ service, reference, simulator, verification, missing }: Welcome): string => `<!doctype html>
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
<p>Electronic signatures on an event log. This service runs at ${escaped(service)}.</p>
<div class="cards">
${linkTo(reference, "API reference", "Every endpoint, with examples")}
${simulator === null ? "" : `${linkTo(simulator, "Phone simulator", "What signers get on their phones")}\n`}${linkTo(verification, "Check a PDF", "Is it intact, by whom, and on record")}
</div>
${missing === null ? "" : `<p>${escaped(missing)}</p>\n`}<p>Keys are not shown here: the service printed them where it was started.</p>
</main>
</body>
</html>`;
