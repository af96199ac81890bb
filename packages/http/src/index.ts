export * from "./account-directory.ts";
export * from "./auth.ts";
export * from "./binary.ts";
export * from "./errors.ts";
export * from "./health.ts";
export * from "./logger.ts";
export * from "./openapi.ts";
export * from "./server.ts";
