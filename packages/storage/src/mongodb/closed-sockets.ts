import { MongoNetworkError } from "mongodb";
// Not by a `require` of its own: in a bundle that finds another copy of the driver than the one that is used.
import { Connection } from "mongodb/lib/cmap/connection.js";

let isMended = false;

/**
 * Has whoever writes to a connection fail at once where its socket is closed already, and when it is closed meanwhile.
 *
 * The driver (7.9.0, `Connection.writeCommand`) writes, and where `write` gives false it waits for "drain" or an error
 * and nothing else, without a limit: its timeouts are set on the socket. Neither ever comes
 * - where the server ended the connection: Node destroys the socket, and tells of it some callbacks later;
 * - where the driver gives the connection up, of which the server takes no more, and destroys the socket without an error.
 *
 * A command never ends so, nor does what waits for it; a monitor never looks for its server again, and once any
 * connection breaks after that, all commands fail until the process ends.
 */
export const failOnClosedSockets = (): void => {
  if (isMended) return;
  isMended = true;
  const { prototype } = Connection;
  const { writeCommand } = prototype;
  prototype.writeCommand = async function (...args) {
    if (this.socket.destroyed) {
      const error = new MongoNetworkError("the connection was closed before a command was written to it");
      this.onError(error);
      throw error;
    }
    const closed = Promise.withResolvers<never>();
    const fail = () => closed.reject(this.error);
    this.once("close", fail);
    try {
      await Promise.race([writeCommand.apply(this, args), closed.promise]);
    } finally {
      this.off("close", fail);
    }
  };
};
