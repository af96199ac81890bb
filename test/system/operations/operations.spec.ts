import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { metricNames } from "@rubrica/hosting";
import {
  eventually,
  freePort,
  outputOf,
  repository,
  rubricaClient,
  type ServiceProcess,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { groupedBy, metricsIn, readExposition } from "./exposition.ts";

const operations = join(repository, "docs", "operations");
const noPromtool = toolsMissing("promtool");

interface Rule {
  alert: string;
  expr: string;
}
const rules: Rule[] = parse(readFileSync(join(operations, "alerts.yml"), "utf8")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

interface Panel {
  id: number;
  type: string;
  title: string;
  targets?: { expr: string }[];
}
const dashboard: { panels: Panel[] } = JSON.parse(readFileSync(join(operations, "dashboard.json"), "utf8"));
const panels = dashboard.panels.filter(({ type }) => type !== "row");
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const expressions = [...rules.map(({ expr }) => expr), ...shown];

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
let service: ServiceProcess;
let metricsUrl: string;
/** What no metric may tell. */
let secrets: string[];

const scrape = async (): Promise<string> => {
  const answer = await fetch(metricsUrl);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
  return answer.text();
};

/** A receiver that takes no webhook. */
const openDeafReceiver = async (): Promise<string> => {
  const server = createServer((_request, response) => void response.writeHead(500).end()).listen(0, "127.0.0.1");
  cleanup.defer(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/whispering-gallery`;
};

beforeAll(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const { path: dataDir } = cleanup.use(temporaryFolder());
  service = cleanup.use(
    await startServiceProcess({ dataDir, environment: { METRICS_PORT: String(port), ALLOW_PRIVATE_URLS: "true" } }),
  );
  const client = rubricaClient(service);
  const signer = sampleSigner(1, { name: "Zoraida Quetzalcoatl" });
  const fields = { webhook_url: await openDeafReceiver() };
  const { id_seguimiento, urls } = await client.requestDocument(await samplePdf(), [signer], fields);
  const link = urls[0]?.link ?? "";
  const phone = String(signer.phone);
  await eventually("the message", async () => (await client.messagesTo(phone)).length > 0);
  await client.sign(link);
  secrets = [
    ...[id_seguimiento, link.split("/").at(-1) ?? "", urls[0]?.id_custom ?? "", service.apiKey, service.simulatorKey],
    ...["Zoraida", "30000001", "whispering", phone, dataDir],
  ];
});

test("metrics are told on a port of their own, and nowhere else", async () => {
  await scrape();
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  expect((await fetch(metricsUrl.replace("metrics", "readyz"))).status).toBe(404);
});

const messages = /^rubrica_attempts_total\{kind="message",provider="simulator",outcome="succeeded"\} 2$/m;

test("what was done is counted by outcome and provider, what is owed by kind and state", async () => {
  const told = await eventually("a webhook that failed, the request and the signed copy", async () => {
    const text = await scrape();
    const isAllDone = messages.test(text) && text.includes('kind="webhook",state="failing"} 1');
    return isAllDone ? text : undefined;
  });
  expect(told).toContain('rubrica_attempts_total{kind="seal",provider="none",outcome="succeeded"} 1');
  expect(told).toMatch(/rubrica_attempts_total\{kind="webhook",provider="receiver",outcome="failed"\} [1-9]/);
  expect(told).toMatch(/rubrica_helper_tasks_total\{pool="sealing",outcome="done"\} [1-9]/);
  expect(told).toContain(
    'rubrica_http_request_duration_seconds_count{method="POST",route="/api/signing/:token/sign",status="2xx"} 1',
  );
  expect(told).toContain('rubrica_ready{part="read models"} 1');
  expect(told).toContain('rubrica_projection_lag_seconds{projection="documents"}');
  const numberOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(told)?.[1]);
  expect(numberOf("rubrica_disk_free_bytes")).toBeGreaterThan(0);
  expect(numberOf("rubrica_disk_free_bytes")).toBeLessThan(numberOf("rubrica_disk_size_bytes"));
  expect(numberOf("rubrica_sealing_certificate_seconds_left")).toBeGreaterThan(30 * 86_400);
});

test("they name no person, no document, no link and no key, and strangers add none", async () => {
  const ask = (method: string, path: string) => fetch(`${service.url}${path}`, { method });
  const path = (word: string) => `/${word}/s/${word}`;
  await ask("GET", path("first"));
  await ask("GET", "/s/first");
  const told = (text: string) => text.split("\n").filter((line) => line.startsWith("rubrica_http")).length;
  const before = told(await scrape());
  for (const word of ["a", "b", "c", "d"]) {
    for (const method of ["GET", "POST", "PURGE", "PROPFIND", `X${word}`])
      await ask(method, path(word)).catch(() => {});
    await ask("GET", `/s/${word}`);
  }
  const text = await scrape();
  expect(told(text)).toBe(before);
  expect(secrets.filter((secret) => secret === "" || text.includes(secret))).toEqual([]);
});

test("every metric that there is is told", async () => {
  const { declared } = readExposition(await scrape());
  expect(metricNames.filter((name) => !declared.has(name))).toEqual([]);
});

test("what the dashboard shows and alerts are made of is told, with the labels that they select by", async () => {
  const { declared, labelsOf } = readExposition(await scrape());
  // Of what never happened here there is no sample: its labels are those of its definition, which others hold.
  const neverHappened = new Set(["rubrica_measurement_failures_total"]);
  const asked = expressions.flatMap(metricsIn);
  expect(asked.length).toBeGreaterThan(30);
  const unknown = asked.filter(({ name, labels }) => {
    if (neverHappened.has(name)) return !declared.has(name);
    const known = labelsOf.get(name);
    return !known || labels.some((label) => label !== "job" && !known.has(label));
  });
  expect(unknown).toEqual([]);
  const all = new Set(["instance", "job", "metric", ...[...labelsOf.values()].flatMap((labels) => [...labels])]);
  expect(expressions.flatMap(groupedBy).filter((label) => !all.has(label))).toEqual([]);
});

test("every alert says what it is and what to do, and is tried: when it fires, and when it doesn't", () => {
  const tried: { alertname: string; exp_alerts?: object[] }[] = parse(
    readFileSync(join(import.meta.dirname, "alerts.test.yml"), "utf8"),
  ).tests.flatMap((one: { alert_rule_test: object[] }) => one.alert_rule_test);
  const fires = new Set(tried.filter(({ exp_alerts }) => exp_alerts).map(({ alertname }) => alertname));
  const rests = new Set(tried.filter(({ exp_alerts }) => !exp_alerts).map(({ alertname }) => alertname));
  const names = rules.map(({ alert }) => alert);
  expect([names.filter((name) => !fires.has(name)), names.filter((name) => !rests.has(name))]).toEqual([[], []]);
});

test("the dashboard's panels each ask for something, under an id and a title of their own", () => {
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  expect(panels.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
});

describe.skipIf(noPromtool)("Prometheus itself", () => {
  test("evaluates the alerts as they are meant", () => {
    const { code, text } = outputOf("promtool", "test", "rules", join(import.meta.dirname, "alerts.test.yml"));
    expect([code, text]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });

  test("takes its configuration, with the alerts", () => {
    const { code, text } = outputOf("promtool", "check", "config", join(operations, "prometheus.yml"));
    expect([code, text]).toEqual([0, expect.stringContaining(`SUCCESS: ${rules.length} rules found`)]);
  });

  test("takes what is told", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "metrics");
    writeFileSync(file, await scrape());
    const { code, text } = outputOf("sh", "-c", 'promtool check metrics < "$1"', "sh", file);
    // The runtime's own metrics have names that it would have otherwise.
    expect(text.split("\n").filter((line) => line.includes("rubrica_"))).toEqual([]);
    expect([0, 3]).toContain(code);
  });

  test("understands what the dashboard asks for", () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "shown.yml");
    const records = shown.map((expr, index) => ({
      record: `shown:${index}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "shown", rules: records }] }));
    const { code, text } = outputOf("promtool", "check", "rules", file);
    expect([code, text]).toEqual([0, expect.stringContaining(`${shown.length} rules found`)]);
  });
});
