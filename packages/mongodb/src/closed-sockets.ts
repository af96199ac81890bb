import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { MongoNetworkError } from "mongodb";

/** What is needed of the driver's connections, which it does not export. */
interface DriverConnection {
  readonly socket: Socket;
  onError(error: Error): void;
  cleanup(error: Error): void;
  writeCommand(...args: unknown[]): Promise<void>;
}

let isMended = false;

/**
 * Has whoever writes to a socket fail at once where it is closed already, and when it is closed meanwhile.
 *
 * When a server ends a connection, Node destroys the socket, and tells of it some callbacks later. In between the driver
 * (7.9.0, `Connection.writeCommand`) writes to it: `write` gives false, the driver waits for "drain", which never comes,
 * and its timeouts are set on that dead socket. A command never ends so; a monitor never looks for its server again, and
 * once any connection breaks after that, all commands fail until the process ends.
 *
 * Where a command is larger than what the system takes of it, the driver waits for "drain" as well. When it gives the
 * connection up meanwhile (the server was silent for too long, or is not there any more), it destroys the socket without
 * an error, of which nobody is told who waits so: the command never ends, nor does what waits for it.
 */
export const failOnClosedSockets = (): void => {
  if (isMended) return;
  isMended = true;
  const require = createRequire(import.meta.url);
  const { prototype } = require("mongodb/lib/cmap/connection.js").Connection as { prototype: DriverConnection };
  const { writeCommand, cleanup } = prototype;
  prototype.writeCommand = async function (...args) {
    if (this.socket.destroyed) {
      const error = new MongoNetworkError("the connection was closed before a command was written to it");
      this.onError(error);
      throw error;
    }
    await writeCommand.apply(this, args);
  };
  prototype.cleanup = function (error) {
    this.socket.destroy(error);
    cleanup.call(this, error);
  };
};
