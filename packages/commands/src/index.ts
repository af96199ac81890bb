export { type Handled, StreamHandler } from "./stream-handler.ts";
