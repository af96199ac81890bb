import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configFrom, variableNames } from "@rubrica/config";
import { outputOf, repository, runtimeFlags, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import {
  appOf,
  composeWith,
  exampleVariables,
  imageEnvironment,
  instructions,
  references,
  someEnvironment,
  textOf,
} from "./compose.ts";

const compose = composeWith(someEnvironment);
const services = Object.entries(compose.services);
const apps = services.filter(([, service]) => appOf(service) !== undefined);
const ENGINES = ["eventstoredb", "mongodb", "nats"];
const OWN_IMAGE = `rubrica:${JSON.parse(textOf("package.json")).version}`;

/** docker/nats.conf, as far as the server that is installed knows it: Debian's is older than what flushes each message. */
const natsConfig = (): string => {
  const [, minor = ""] = /v2\.(\d+)\./.exec(outputOf("nats-server", "--version").text) ?? [];
  const config = textOf("docker/nats.conf");
  return Number(minor) >= 10 ? config : config.replace(/^ *sync_interval: always\n/m, "");
};

describe("the image", () => {
  test("has the Node that npm pins", () => {
    const { version } = JSON.parse(textOf("package-lock.json")).packages["node_modules/node"];
    const images = [...textOf("Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set([`node:${version}-bookworm-slim`]));
  });

  test("has the office program and the fonts that the tests have", () => {
    const tested = textOf(".ci/run").match(/(?:libreoffice|fonts)-[a-z-]+/g) ?? [];
    expect(tested.length).toBeGreaterThan(3);
    const installed = instructions("RUN").join(" ").split(/\s+/);
    expect(tested.filter((name) => !installed.includes(name))).toEqual([]);
  });

  test("is given all that an app is made of, and nothing that git does not know", () => {
    const [, ...lines] = textOf(".dockerignore").trim().split("\n");
    const taken = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    expect(lines[0]).toBe("*");
    expect(taken.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
    expect(taken).toEqual(expect.arrayContaining(["package.json", "package-lock.json", "apps", "packages", "docker"]));
    expect(taken).not.toContain(".env");
  });

  test("has nothing by which a user becomes another one, but for the launcher of helpers, who are not root", () => {
    const run = instructions("RUN").join("\n");
    expect(run.match(/chmod a-s|--mode=[2467]\d{3}/g)).toEqual(["chmod a-s", "--mode=6755"]);
    const [launcher] = /--owner=helpers --group=helpers --mode=6755 \S+setpriv (\S+)/.exec(run)?.slice(1) ?? [];
    expect(imageEnvironment().HELPERS_LAUNCHER).toBe(launcher);
    expect(run).toContain("chmod 0711 /usr/local/bin/node");
  });

  test("runs as a user of its own, and is healthy as long as /livez answers", () => {
    expect(instructions("USER")).toEqual(["rubrica"]);
    expect(instructions("HEALTHCHECK")).toEqual([expect.stringContaining("/livez")]);
  });
});

describe("every container", () => {
  test.each(services)("%s: its image has one exact version", (_name, { image, build }) => {
    if (build === undefined) expect(image).toMatch(/^[a-z/]+:\d+\.\d+\.\d+(?:-[a-z-]+)?(?:@sha256:[0-9a-f]{64})?$/);
    else expect([image, build]).toEqual([OWN_IMAGE, "."]);
  });

  test.each(services)("%s: no rights, no disk but its volumes, bounds on what it takes and logs", (name, service) => {
    expect(service).toMatchObject({ read_only: true, init: true, cap_drop: ["ALL"] });
    expect(service.cap_add ?? []).toEqual(name === "proxy" ? ["NET_BIND_SERVICE"] : []);
    expect(service.privileged).toBeUndefined();
    expect(Object.keys(service.deploy?.resources.limits ?? {})).toEqual(["cpus", "memory", "pids"]);
    expect(service.logging?.options).toEqual({ "max-size": "10m", "max-file": "5" });
  });

  test.each(services)("%s: what it is given is there", (_name, { volumes = [], secrets = [], networks = [] }) => {
    for (const source of volumes.map((volume) => volume.split(":")[0] ?? "")) {
      if (source.startsWith("./")) expect([source, existsSync(join(repository, source))]).toEqual([source, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(secrets));
    expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining(networks));
  });

  test.each(services)("%s: what it waits for can come", (_name, { depends_on = {} }) => {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const { healthcheck, build, restart } = { restart: "", ...compose.services[other] };
      const isHealthy = healthcheck?.test !== undefined || (build !== undefined && healthcheck === undefined);
      if (condition === "service_healthy") expect([other, isHealthy]).toEqual([other, true]);
      else expect([other, condition, restart]).toEqual([other, "service_completed_successfully", "no"]);
    }
  });

  test("that reads what others send may start helpers under another user; no other may gain rights", () => {
    const mayGain = services.filter(([, service]) => !service.security_opt?.includes("no-new-privileges"));
    expect(mayGain.map(([name]) => name)).toEqual([
      "command-api",
      "query-api",
      "subscribers",
      "verify-web",
      "simulator",
    ]);
  });

  test("has a port of the machine only where it is the proxy; the engines and apps have no way out but through `outside`", () => {
    expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(["proxy"]);
    expect(compose.networks).toEqual({ outside: null, apps: { internal: true }, engines: { internal: true } });
    for (const engine of ENGINES) expect(compose.services[engine]?.networks).toEqual(["engines"]);
    expect(services.filter(([, { network_mode }]) => network_mode).map(([, service]) => service.network_mode)).toEqual([
      "none",
    ]);
  });
});

describe("apps", () => {
  test("each is there, as often as it works beside itself", () => {
    const all = readdirSync(join(repository, "apps")).filter((name) => name !== "standalone");
    expect(apps.map(([, service]) => appOf(service)).toSorted()).toEqual(all);
    const twice = apps.filter(([, { deploy }]) => deploy?.replicas === 2).map(([name]) => name);
    expect(twice).toEqual(["command-api", "query-api", "subscribers", "projector"]);
  });

  test.each(apps)("%s: its command is there, with what npm start tells the runtime", (_name, service) => {
    const app = appOf(service);
    expect(existsSync(join(repository, "apps", app ?? "", "src", "main.ts"))).toBe(true);
    const words = [...(service.entrypoint ?? []), ...(service.command ?? [])];
    if (app === "cli") expect(words).toEqual(["node", "scripts/start.ts", "cli", "--help"]);
    else expect(words).toEqual(["node", ...runtimeFlags, "scripts/start.ts", app]);
  });

  test("the simulator runs where it is asked for alone", () => {
    expect(apps.filter(([, { profiles }]) => profiles).map(([name, { profiles }]) => [name, profiles])).toEqual([
      ["simulator", ["demo"]],
      ["rubrica", ["tools"]],
    ]);
  });

  test("what is served is where the proxy and the health checks look", () => {
    expect(imageEnvironment()).toMatchObject({ HOST: "0.0.0.0", PORT: "3000", DATA_DIR: "/data" });
  });
});

describe("variables", () => {
  test("each one that is meant as one is taken as one", () => {
    expect(JSON.stringify(compose)).not.toContain("${");
  });

  /** Needed where MESSAGING is whatsapp, and asked for by the apps then. */
  const isWhatsApps = ({ name }: { name: string }) => name.startsWith("WHATSAPP_");
  const isSecret = ({ name }: { name: string }) =>
    /SECRET$|PASSWORD|PASSPHRASE|CERTIFICATE/.test(name) && !isWhatsApps({ name });

  test("no secret has a default, and each that is needed is asked for by a sentence", () => {
    const secrets = references().filter(isSecret);
    expect(new Set(secrets.map(({ name }) => name)).size).toBeGreaterThan(5);
    expect(secrets.filter(({ required }) => !required)).toEqual([]);
    const optional = references().filter(({ name }) => /KEY$|SECRETS$/.test(name) || isWhatsApps({ name }));
    expect(optional.filter(({ fallback }) => fallback !== "")).toEqual([]);
  });

  test.each(Object.keys(someEnvironment))("without %s nothing starts", (name) => {
    expect(() => composeWith({ ...someEnvironment, [name]: "" })).toThrow(`${name} is missing`);
  });

  test(".env.example names all of them, and sets none", () => {
    const example = exampleVariables();
    expect(Object.keys(example).toSorted()).toEqual([...new Set(references().map(({ name }) => name))].toSorted());
    expect(Object.values(example).join("")).toBe("");
  });
});

describe("the configuration", () => {
  const given = apps.map(([name, { environment = {} }]) => [name, environment] as const);
  /** What is for a developer's machine, or follows from the image. */
  const LEFT_OUT = [
    "ALLOW_PRIVATE_URLS",
    "DEMO_API_KEY",
    "DOCX_PROCESSES",
    "FORMER_CERTIFICATES",
    "SOFFICE",
    "TSA_ROOTS",
  ];

  test.each(given)("%s: it knows every variable, and takes each", (_name, environment) => {
    const known = new Set<string>(variableNames);
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    expect(configFrom({ ...imageEnvironment(), ...environment }).local).toBe(false);
  });

  test("there is no other variable", () => {
    const set = new Set([...Object.keys(imageEnvironment()), ...given.flatMap(([, each]) => Object.keys(each))]);
    expect(variableNames.filter((name) => !set.has(name)).toSorted()).toEqual(LEFT_OUT);
  });

  test.each(given.filter(([name]) => name !== "rubrica"))(
    "%s has the engines that it needs, and no other",
    (app, environment) => {
      const [, needs = ""] =
        new RegExp(`^\\| \`${app}\` \\| ([^|]+) \\|`, "m").exec(textOf("docs/architecture.md")) ?? [];
      expect(needs).not.toBe("");
      expect("EVENTSTORE_URL" in environment).toBe(needs.includes("event store"));
      expect("MONGODB_URL" in environment).toBe(/keys|read models/.test(needs));
      expect("NATS_URL" in environment).toBe(needs.includes("bus"));
      const waited = Object.keys(compose.services[app]?.depends_on ?? {});
      expect(waited.includes("nats")).toBe("NATS_URL" in environment);
      expect(waited.includes("eventstoredb") && waited.includes("mongodb-setup")).toBe("EVENTSTORE_URL" in environment);
    },
  );
});

describe("engines", () => {
  test("NATS has what it acknowledges on the disk", () => {
    expect(textOf("docker/nats.conf")).toMatch(/^ {2}sync_interval: always$/m);
  });

  test.skipIf(toolsMissing("nats-server"))("a NATS server takes its configuration", () => {
    const [path = "", ...rest] = compose.services.nats?.command?.slice(1) ?? [];
    expect(path).toBe("/etc/nats/nats.conf");
    using folder = temporaryFolder();
    const config = join(folder.path, "nats.conf");
    writeFileSync(config, natsConfig());
    const { code, text } = outputOf("nats-server", "-t", "-c", config, ...rest);
    expect([code, text]).toEqual([0, expect.stringContaining("is valid")]);
  });

  test("each wants a password", () => {
    const said = JSON.stringify([compose.services.eventstoredb, compose.services.mongodb, compose.services.nats]);
    expect(said).not.toMatch(/INSECURE|noauth/);
    expect(compose.services.mongodb?.command?.join(" ")).toContain("--keyFile");
    expect(compose.services.nats?.command).toEqual(expect.arrayContaining(["--user", "--pass"]));
  });

  test.skipIf(toolsMissing("openssl"))("EventStoreDB's certificate is for its name, and made once", () => {
    using folder = temporaryFolder();
    const script = join(repository, "docker/eventstoredb-certificates.sh");
    accessSync(script, constants.X_OK);
    mkdirSync(join(folder.path, "made"));
    const path = (name: string) => join(folder.path, "made", name);
    expect(outputOf(script, join(folder.path, "made"))).toEqual({ code: 0, text: "" });
    const { code } = outputOf(
      "openssl",
      "verify",
      "-CAfile",
      path("ca/ca.crt"),
      "-verify_hostname",
      "eventstoredb",
      path("node.crt"),
    );
    expect(code).toBe(0);
    expect(statSync(path("node.key")).mode & 0o077).toBe(0);
    expect(readdirSync(path("")).toSorted()).toEqual(["ca", "node.crt", "node.key"]);
    const before = statSync(path("node.crt")).mtimeMs;
    expect(outputOf(script, join(folder.path, "made"))).toEqual({ code: 0, text: "" });
    expect(statSync(path("node.crt")).mtimeMs).toBe(before);
  });
});
