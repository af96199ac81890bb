// `npm start`: the whole service in one process.
import { runProcess } from "@rubrica/hosting";
import { startService } from "./service.ts";
import { welcomeText } from "./welcome.ts";

await runProcess(async (config, runtime, logger) => {
  const service = await startService(config, runtime, logger);
  // For people at a terminal and in a log alike; it is not a log line, since it holds keys.
  process.stderr.write(welcomeText(service.welcome, service.keys));
  return service;
});
