export * from "./decider.ts";
