export { type Letter, readLetter } from "./letter.ts";
export {
  type MailServer,
  type MailServerOptions,
  type SmtpRefusal,
  startMailServer,
  type TakenLetter,
} from "./mailbox.ts";
