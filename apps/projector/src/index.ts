export { type ObligationPublisherOptions, publishObligations } from "./obligation-publisher.ts";
