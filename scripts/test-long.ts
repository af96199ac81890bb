// The attacks on the running service, twenty times as many as `npm test` makes: every generator in every place, and every
// helper process killed a hundred times. Prints its figures as it goes.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");
const env = { ...process.env, RUBRICA_ATTACK_SCALE: "20" };
const args = ["run", "--project", "attacks", ...process.argv.slice(2)];
process.exit(spawnSync(vitest, args, { stdio: "inherit", cwd: root, env }).status ?? 1);
