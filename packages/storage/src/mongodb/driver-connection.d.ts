// What is needed of the driver's connections, which it neither exports nor has types for.
declare module "mongodb/lib/cmap/connection.js" {
  import type { EventEmitter } from "node:events";
  import type { Socket } from "node:net";

  export class Connection extends EventEmitter {
    readonly socket: Socket;
    /** Why it is closed. */
    readonly error: Error | null;
    onError(error: Error): void;
    writeCommand(...args: unknown[]): Promise<void>;
  }
}
