import { createHmac } from "node:crypto";
import type { Secrets } from "./secrets.ts";

/** What opens the simulators. None of the last two gives away another. */
export interface SimulatorKeys {
  /** Opens the phones. */
  phone: string;
  /** Shown by the service to the simulators. */
  provider: string;
  /** Shown by the simulator of phones to the service. */
  notices: string;
}

/**
 * The simulators' keys: of the one that the operator chose, else of SECRET, so that processes with one SECRET need no
 * further word.
 */
export const simulatorKeys = (secrets: Pick<Secrets, "hmac">, chosen: string | undefined): SimulatorKeys => {
  const phone = chosen ?? secrets.hmac("simulator-key", []).toString("base64url");
  const keyFor = (use: string) => createHmac("sha256", phone).update(`rubrica/simulator/${use}`).digest("base64url");
  return { phone, provider: keyFor("provider"), notices: keyFor("notices") };
};
