export * from "./account.ts";
export * from "./credits.ts";
export * from "./keys.ts";
export * from "./state.ts";
