import { X509Certificate } from "node:crypto";
import { chainOf } from "../asn1/chain.ts";
import { firstOf } from "./attempts.ts";
import type { RevocationTools } from "./revocation.ts";
import { readTimestamp, requestTimestamp, type Timestamp, TimestampFailed } from "./timestamp.ts";
import { gatherValidationData, ValidationDataMissing } from "./validation-data.ts";

/** A timestamp with its token: DER, in its one encoding. */
export interface Token extends Timestamp {
  token: Uint8Array;
}

/**
 * The timestamp authorities of one sealing, in their order. One that fails is asked last from then on, so that a hanging one
 * is waited for once. A timestamp by a revoked certificate is not taken.
 */
export class Authorities {
  #urls: readonly string[];
  readonly #tools: RevocationTools;
  readonly #asksStatus: boolean;
  /** Fingerprints of certificates that are known not to be revoked, or whose status nobody tells. */
  readonly #asked = new Set<string>();

  /**
   * @param urls the most wanted first
   * @param asksStatus whether it is asked at once that their certificates are not revoked
   */
  constructor(urls: readonly string[], tools: RevocationTools, asksStatus: boolean) {
    this.#urls = urls;
    this.#tools = tools;
    this.#asksStatus = asksStatus;
  }

  /** A timestamp over a SHA-256 digest: three rounds of all authorities at most. Throws {@link TimestampFailed}. */
  async timestamp(digest: Uint8Array): Promise<Token> {
    const asks = this.#urls.map((url) => () => this.#ask(url, digest));
    try {
      return await firstOf(this.#tools.clock, asks);
    } catch (error) {
      const cause = error instanceof AggregateError ? error.errors[0] : error;
      throw new TimestampFailed("the timestamp server gave no valid timestamp", { cause });
    }
  }

  async #ask(url: string, digest: Uint8Array): Promise<Token> {
    const { clock, random } = this.#tools;
    try {
      const token = await requestTimestamp(url, digest, clock, random);
      const timestamp = readTimestamp(token, digest);
      if (this.#asksStatus) await this.#assertNotRevoked(timestamp);
      return { ...timestamp, token };
    } catch (error) {
      this.#urls = [...this.#urls.filter((one) => one !== url), url];
      throw error;
    }
  }

  async #assertNotRevoked({ certificate, signedData: { signer, certificates } }: Timestamp): Promise<void> {
    if (this.#asked.has(certificate.fingerprint256)) return;
    try {
      await gatherValidationData([signer], certificates, null, this.#tools);
    } catch (error) {
      if (!(error instanceof ValidationDataMissing)) throw error;
    }
    this.#asked.add(certificate.fingerprint256);
  }
}

/** What a timestamp says: milliseconds since the UNIX epoch, and whose it is by its certificate's subject. */
export const saidBy = ({ at, certificate }: Timestamp): { at: number; authority: string } => ({
  at,
  // A name as Node gives it, which has a line for each part.
  authority: certificate.subject.replaceAll("\n", ", "),
});

/** When the first of the certificates ends that came with a timestamp, in milliseconds: until then it can be validated. */
export const endOf = ({ signedData: { signer, certificates } }: Timestamp): number =>
  Math.min(...chainOf(signer, certificates).map((one) => new X509Certificate(one).validToDate.getTime()));
