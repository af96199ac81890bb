import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { MongoNetworkError } from "mongodb";

/** What is needed of the driver's connections, which it does not export. */
interface DriverConnection {
  readonly socket: Socket;
  onError(error: Error): void;
  writeCommand(...args: unknown[]): Promise<void>;
}

let isMended = false;

/**
 * Has whoever writes to a socket that is closed already fail at once.
 *
 * When a server ends a connection, Node destroys the socket, and tells of it some callbacks later. In between the driver
 * (7.9.0, `Connection.writeCommand`) writes to it: `write` gives false, the driver waits for "drain", which never comes,
 * and its timeouts are set on that dead socket. A command never ends so; a monitor never looks for its server again, and
 * once any connection breaks after that, all commands fail until the process ends.
 */
export const failOnClosedSockets = (): void => {
  if (isMended) return;
  isMended = true;
  const require = createRequire(import.meta.url);
  const { prototype } = require("mongodb/lib/cmap/connection.js").Connection as { prototype: DriverConnection };
  const writeCommand = prototype.writeCommand;
  prototype.writeCommand = async function (...args) {
    if (this.socket.destroyed) {
      const error = new MongoNetworkError("the connection was closed before a command was written to it");
      this.onError(error);
      throw error;
    }
    await writeCommand.apply(this, args);
  };
};
