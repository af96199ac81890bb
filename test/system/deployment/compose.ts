import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@rubrica/test-kit";
import { parse } from "yaml";

/** The repository's folder, and what is read from it. */
export const textOf = (path: string): string => readFileSync(join(repository, path), "utf8");

/** A container of docker-compose.yml, as far as the tests look at it. */
export interface Service {
  image: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[];
  network_mode?: string;
  volumes?: string[];
  secrets?: string[];
  tmpfs?: string[];
  profiles?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  read_only?: boolean;
  init?: boolean;
  user?: string;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  privileged?: boolean;
  logging?: { options: Record<string, string> };
  deploy?: { replicas?: number; resources: { limits: Record<"cpus" | "memory" | "pids", unknown> } };
}

export interface Compose {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

/** A variable that the file asks for: `${NAME:?message}`, or `${NAME:-default}`. */
export interface Reference {
  name: string;
  /** What has to be said when it is missing; undefined where it may be. */
  required: string | undefined;
  /** Undefined where it has none. */
  fallback: string | undefined;
}

const REFERENCE = /\$\$|\$\{(\w+)(?::(\?|-)([^}]*))?\}|\$\w+/g;

const referenceOf = ([whole, name, operator, rest]: RegExpMatchArray): Reference => {
  if (name === undefined || operator === undefined) throw new Error(`${whole} is neither required nor optional`);
  return {
    name,
    required: operator === "?" ? rest : undefined,
    fallback: operator === "-" ? rest : undefined,
  };
};

const isReference = ([whole]: RegExpMatchArray): boolean => whole !== "$$";

/** What comes of a text, by the rules of Compose. @throws {Error} when a required variable is missing. */
const interpolated = (text: string, environment: Readonly<Record<string, string>>): string =>
  text.replace(REFERENCE, (...match) => {
    const found = match as unknown as RegExpMatchArray;
    if (!isReference(found)) return "$";
    const { name, required, fallback = "" } = referenceOf(found);
    const value = environment[name] ?? "";
    if (value === "" && required !== undefined) throw new Error(`${name} is missing: ${required}`);
    return value === "" ? fallback : value;
  });

const mapTexts = (node: unknown, map: (text: string) => string): unknown => {
  if (typeof node === "string") return map(node);
  if (Array.isArray(node)) return node.map((item) => mapTexts(item, map));
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapTexts(value, map)]));
};

const parsed = (): unknown => parse(textOf("docker-compose.yml"), { merge: true });

/** docker-compose.yml as it is with these variables set. @throws {Error} when a required one is missing. */
export const composeWith = (environment: Readonly<Record<string, string>>): Compose =>
  mapTexts(parsed(), (text) => interpolated(text, environment)) as Compose;

/** All variables that docker-compose.yml asks for, once for each place. */
export const references = (): Reference[] => {
  const found: Reference[] = [];
  mapTexts(parsed(), (text) => {
    found.push(...[...text.matchAll(REFERENCE)].filter(isReference).map(referenceOf));
    return text;
  });
  return found;
};

/** The names in .env.example, with what they are set to. */
export const exampleVariables = (): Record<string, string> =>
  Object.fromEntries([...textOf(".env.example").matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));

/** Something to set every variable to that docker-compose.yml requires. */
export const someEnvironment: Readonly<Record<string, string>> = {
  PUBLIC_URL: "https://firma.example.org",
  MESSAGING: "simulator",
  SECRET: "a-secret-of-a-test-of-thirty-two-bytes-or-more",
  EVENTSTOREDB_ADMIN_PASSWORD: "00112233",
  EVENTSTOREDB_OPS_PASSWORD: "44556677",
  MONGODB_ROOT_PASSWORD: "8899aabb",
  MONGODB_PASSWORD: "ccddeeff",
  NATS_PASSWORD: "0123e456",
  SIGNING_CERTIFICATE_FILE: "/nowhere/certificate.p12",
  SIGNING_CERTIFICATE_PASSPHRASE: "a passphrase",
};

/** What an instruction of the Dockerfile's last stage says, continued lines as one. */
export const instructions = (name: string): string[] => {
  const lines = textOf("Dockerfile")
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  const stage = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
  return stage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
};

/** The variables that the image sets. */
export const imageEnvironment = (): Record<string, string> =>
  Object.fromEntries(instructions("ENV").flatMap((line) => line.split(" ").map((pair) => pair.split("=", 2))));

/** The folder of the app that a container runs: `command-api`; undefined where it runs none. */
export const appOf = ({ command = [], entrypoint = [] }: Service): string | undefined =>
  /scripts\/start\.ts ([a-z-]+)/.exec([...entrypoint, ...command].join(" "))?.[1];
