// `npm start`: the whole service in one process.
import "./heap.ts";

import { ConfigError, configFrom } from "@rubrica/config";
import { DataFolderError } from "@rubrica/engines";
import { createLogger } from "@rubrica/http";
import { systemRuntime } from "@rubrica/runtime";
import { PortInUseError, startService } from "./service.ts";
import { Ending } from "./stopping.ts";
import { welcomeText } from "./welcome.ts";

// What is kept is its owner's alone, also what other programs write for the service.
process.umask(0o077);
const runtime = systemRuntime();
const ending = new Ending(runtime);
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
} catch (error) {
  const known = error instanceof ConfigError || error instanceof DataFolderError || error instanceof PortInUseError;
  if (!known) throw error;
  console.error(error.message);
  process.exit(1);
}
