export { type Contents, type Copied, type Migration, migrate, verifyMigration } from "./migrate.ts";
export { MigrationError } from "./migration-error.ts";
export type { Step } from "./step.ts";
