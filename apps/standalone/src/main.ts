// `npm start`: the whole service in one process.
import { configFrom } from "@rubrica/config";
import { lastWords } from "@rubrica/engines";
import { createLogger } from "@rubrica/http";
import { systemRuntime } from "@rubrica/runtime";
import { ListenError } from "./listen.ts";
import { startService } from "./service.ts";
import { Ending } from "./stopping.ts";
import { welcomeText } from "./welcome.ts";

// What is kept is its owner's alone, also what other programs write for the service.
process.umask(0o077);
const runtime = systemRuntime();
const ending = new Ending(runtime);
const fail = (error: unknown): never => {
  console.error(lastWords(error, { known: [ListenError], environment: process.env }));
  process.exit(1);
};

try {
  const config = configFrom(process.env);
  const logger = createLogger({
    clock: runtime.clock,
    level: config.logLevel,
    pretty: process.stdout.isTTY ?? false,
  });
  const service = await startService(config, runtime, logger);
  // For people at a terminal and in a log alike; it is not a log line, since it holds keys.
  process.stderr.write(welcomeText(service.welcome, service.keys));
  ending.by(() => service.close());
  service.failed.catch(fail);
} catch (error) {
  fail(error);
}
