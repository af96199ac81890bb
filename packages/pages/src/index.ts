// What pages in the browser share: the base of their style, and a document that loads nothing.
// It must not know any page.

import { readFileSync } from "node:fs";
import { contentSecurityPolicy } from "./policy.ts";

export { contentSecurityPolicy } from "./policy.ts";

/** A document that loads nothing, and the policy that holds it to that. */
export interface Page {
  html: string;
  contentSecurityPolicy: string;
}

/** How pages in the service's own style look before anything of their own (also at `@rubrica/pages/base.css`, for bundlers). */
export const baseStyle = readFileSync(new URL("base.css", import.meta.url), "utf8");

/**
 * A folder's `index.html` with its `style.css` and `script.js` in it, where comments of these names stand.
 * @param folder ends in a slash.
 * @param styleBefore goes before the page's own style.
 * @throws {Error} when a file is missing.
 */
export const selfContainedPage = (folder: URL, styleBefore = ""): Page => {
  const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
  const style = styleBefore + read("style.css");
  const script = read("script.js");
  // A function as replacement, since `$&` and the like in the files stand for themselves.
  const html = read("index.html")
    .replace("/* style.css */", () => style)
    .replace("/* script.js */", () => script);
  return { html, contentSecurityPolicy: contentSecurityPolicy({ style, script }) };
};
