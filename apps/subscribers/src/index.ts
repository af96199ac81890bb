export { openSubscribers, type Subscribers, type SubscribersParts } from "./app.ts";
export { turnSubscribers } from "./turns.ts";
