import { createHash } from "node:crypto";

const hashOf = (inline: string): string => `'sha256-${createHash("sha256").update(inline).digest("base64")}'`;

/**
 * What a document may do that has its style and its script, if any, in it (CSP Level 3): run these two and no others,
 * and with a script ask its own server. It loads nothing, sends no form, and is shown in no frame.
 */
export const contentSecurityPolicy = ({ style, script }: { style: string; script?: string }): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
