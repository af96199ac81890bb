// What is derived of SECRET: subkeys, tokens of links, hashes of API keys, names that lead back to nobody.
// It must not keep anything but SECRET's own file.

export { apiKeyFrom, apiKeySha256, newApiKey, newWebhookSecret } from "./api-keys.ts";
export { customIdHmac, phoneLookup, providerMessageId } from "./lasting-ids.ts";
export {
  type PublicFile,
  type PublicFileTokens,
  publicFileTokens,
  publicFileUrl,
} from "./public-file-tokens.ts";
export { createRowCipher, type RowCipher } from "./row-cipher.ts";
export { loadOrCreateSecret, SecretFileError } from "./secret-file.ts";
export { createSecrets, longHmacBy, SECRET_MIN_BYTES, type Secrets, type SecretUse } from "./secrets.ts";
export { linkName, type SigningLink, type SigningTokens, signingTokens } from "./signing-tokens.ts";
export { type SimulatorKeys, simulatorKeys } from "./simulator-keys.ts";
