export { type AcceptedDocument, acceptDocument, acceptedDocument, type DocumentToAccept } from "./accept-document.ts";
export { createHandlers, type Handlers, stepOf } from "./handlers.ts";
export { type AccountToSetUp, setUpAccount } from "./set-up-account.ts";
export { type Handled, StreamHandler } from "./stream-handler.ts";
export { announceTurn, claimSignersTurn, releaseTurn, type TurnOutcome } from "./turns.ts";
