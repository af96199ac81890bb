import { join } from "node:path";

/** The folder of the whole repository. */
export const repository = join(import.meta.dirname, "..", "..", "..");

/** What Node is given to start an app, by its folder's name: `standalone`, `cli`. */
export const startOf = (app: string): readonly string[] => [join(repository, "scripts", "start.ts"), app];

/** An app's own entry, which loads its sources, whatever bundles there are. */
export const mainOf = (app: string): string => join(repository, "apps", app, "src", "main.ts");
