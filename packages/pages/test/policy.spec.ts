import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { baseStyle, contentSecurityPolicy, selfContainedPage } from "../src/index.ts";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const between = (html: string, tag: string): string => html.split(`<${tag}>`)[1]?.split(`</${tag}>`)[0] ?? "";

test("a page bears its files as they are, and its policy allows these and no others", () => {
  using folder = temporaryFolder();
  const files = {
    "index.html": "<style>/* style.css */</style><p>$&</p><script>/* script.js */</script>",
    "style.css": "p::after { content: '$& $1'; }",
    "script.js": 'const text = "$` $$";',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  const page = selfContainedPage(pathToFileURL(`${folder.path}/`), baseStyle);
  expect(between(page.html, "style")).toBe(baseStyle + files["style.css"]);
  expect(between(page.html, "script")).toBe(files["script.js"]);
  const policy = new Map(page.contentSecurityPolicy.split("; ").map((line) => line.split(/ (.*)/) as [string, string]));
  expect(policy.get("default-src")).toBe("'none'");
  expect(policy.get("style-src")).toBe(hashOf(between(page.html, "style")));
  expect(policy.get("script-src")).toBe(hashOf(between(page.html, "script")));
});

test("a page without a script asks nothing of any server", () => {
  const policy = contentSecurityPolicy({ style: "p {}" });
  expect(policy).not.toContain("script-src");
  expect(policy).not.toContain("connect-src");
});
