import { type RubricaClient, rubricaClient, startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { type Deployment, startDeployment, startEngines } from "@rubrica/test-kit/deployment";

/** A whole service, however many processes it is. */
export interface Place extends AsyncDisposable {
  url: string;
  client: RubricaClient;
  /** What opens its stores: a data folder, or the variables that name its engines. */
  stores: string | Readonly<Record<string, string>>;
  /** Kills processes of it with SIGKILL, all at once, and starts them again; resolves when all of it is ready. */
  crash(): Promise<void>;
}

const ENVIRONMENT = { ALLOW_PRIVATE_URLS: "true" };

/** All of it in one process, on embedded engines. */
export const inOneProcess = async (): Promise<Place> => {
  await using starting = new AsyncDisposableStack();
  const dataDir = starting.use(temporaryFolder()).path;
  let service = await startServiceProcess({ dataDir, environment: ENVIRONMENT });
  starting.defer(async () => void (await service.end("SIGKILL")));
  const { url, port, apiKey, simulatorKey } = service;
  const started = starting.move();
  return {
    url,
    client: rubricaClient({ url, apiKey, simulatorKey }),
    stores: dataDir,
    async crash() {
      await service.end("SIGKILL");
      service = await startServiceProcess({ dataDir, port, environment: ENVIRONMENT });
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};

/** Each app as processes of its own, on engines over the wire. A crash takes one process of each app. */
export const inManyProcesses = async (): Promise<
  Place & { deployment: Deployment; engines: Awaited<ReturnType<typeof startEngines>> }
> => {
  await using starting = new AsyncDisposableStack();
  const engines = starting.use(await startEngines());
  const options = { engines: engines.environment, environment: ENVIRONMENT };
  const deployment = starting.use(await startDeployment(options));
  const { url, client, environment } = deployment;
  const started = starting.move();
  return {
    url,
    client,
    stores: environment,
    deployment,
    engines,
    async crash() {
      const killed = deployment.apps.filter(({ name }) => name.endsWith(" 1"));
      await Promise.all(killed.map((one) => one.kill()));
      await Promise.all(killed.map((one) => one.start()));
      await deployment.ready();
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};
