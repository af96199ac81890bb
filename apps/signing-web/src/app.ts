import type { App, Host } from "@rubrica/hosting";
import { countLink, countStranger } from "@rubrica/http";
import type { NoEngines } from "@rubrica/open-engines";
import { linkName, type SigningTokens, signingTokens } from "@rubrica/secrets";
import { type SigningWebOptions, signingWeb } from "./signing-web.ts";

/** Opens the page that signers open: its routes. */
export const openSigningWeb = ({ engines: { secrets } }: Host<NoEngines>): App => ({
  routes: signingWeb({ count: countPages(signingTokens(secrets)) }),
});

/** Counts a good link's pages by the link, however many phones share an address. */
const countPages =
  (tokens: SigningTokens): NonNullable<SigningWebOptions["count"]> =>
  (token, request, reply) => {
    const link = tokens.read(token);
    if (link) countLink(request, reply, linkName(link));
    else countStranger(request, reply);
  };
