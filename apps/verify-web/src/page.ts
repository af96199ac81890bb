import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const read = (name: string): string => readFileSync(new URL(`page/${name}`, import.meta.url), "utf8");

const sourceOf = (inline: string): string => `'sha256-${createHash("sha256").update(inline).digest("base64")}'`;

function build(): { html: string; contentSecurityPolicy: string } {
  const style = read("style.css");
  const script = read("script.js");
  // A function as replacement, since `$&` and the like in the files stand for themselves.
  const html = read("index.html")
    .replace("/* style.css */", () => style)
    .replace("/* script.js */", () => script);
  const policy = [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { html, contentSecurityPolicy: policy.join("; ") };
}

/** The page of `GET /verify`: one document that loads nothing, and the policy that holds it to that. */
export const verifyPage = build();
