import type { IncomingMessage } from "node:http";
import { type Clock, yieldToOthers } from "@rubrica/runtime";
import type { FastifyInstance } from "fastify";

/** From one look at senders that are silent to the next, in milliseconds. */
const SILENCE_MS = 20;

/**
 * Throws away what is still to come of a body after its answer, one connection in each iteration of the event loop: a sender
 * who looks for the answer only at the end gets it, and many who are refused at once hold up nobody. Node would read all
 * of them as fast as they come, up to 2 MB of each in one iteration.
 */
export const discardUnreadBodies = (app: FastifyInstance, clock: Clock): void => {
  const unread = new Set<IncomingMessage>();
  let isDiscarding = false;

  /** Whether anything came. */
  const readOn = async (message: IncomingMessage): Promise<boolean> => {
    const { socket } = message;
    const before = socket.bytesRead;
    socket.resume();
    await yieldToOthers();
    const isSilent = socket.bytesRead === before;
    if (message.complete || socket.destroyed) unread.delete(message);
    // A silent sender is not paused: only the end may come from them, and of a paused socket nobody hears it.
    else if (!isSilent) socket.pause();
    return !isSilent;
  };

  const discard = async (): Promise<void> => {
    isDiscarding = true;
    while (unread.size > 0) {
      let isSilent = true;
      for (const message of unread) if (await readOn(message)) isSilent = false;
      if (isSilent) await clock.wait(SILENCE_MS, { background: true });
    }
    isDiscarding = false;
  };

  app.addHook("onResponse", (request, _reply, done) => {
    const { raw } = request;
    if (!raw.complete && !raw.socket.destroyed) {
      raw.socket.pause();
      unread.add(raw);
      if (!isDiscarding) void discard();
    }
    done();
  });
};
