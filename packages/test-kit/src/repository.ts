import { join } from "node:path";

/** The folder of the whole repository. */
export const repository = join(import.meta.dirname, "..", "..", "..");

/** What starts an app, by its folder's name: `standalone`, `cli`. */
export const mainOf = (app: string): string => join(repository, "apps", app, "src", "main.ts");
