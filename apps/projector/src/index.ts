export {
  createObligationPublisher,
  type ObligationPublisher,
  type ObligationPublisherOptions,
} from "./obligation-publisher.ts";
