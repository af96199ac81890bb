import { keepNotices } from "@rubrica/domain";
import { type Medium, type Notice, noticesIdOf } from "@rubrica/events";
import type { Clock } from "@rubrica/runtime";
import type { Handlers } from "./handlers.ts";

/** The account in the metadata of notices' events: whose messages they are about is found out when they are handled. */
const NOBODYS = "provider";

/**
 * Keeps what a messaging provider tells in one go, in one append: it may be answered then. The same notices again are
 * kept already.
 * @param medium Whose provider tells.
 * @param notices 1 to `MAX_NOTICES`.
 */
export const receiveNotices = async (
  { notices: streams }: Pick<Handlers, "notices">,
  medium: Medium,
  notices: readonly Notice[],
  clock: Clock,
): Promise<void> => {
  const id = noticesIdOf(notices);
  const context = { commandId: id, accountId: NOBODYS, actor: "provider", correlationId: id, causationId: id };
  await streams.handle(id, keepNotices, { medium, notices, now: clock.now() }, context);
};
