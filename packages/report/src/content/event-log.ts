import type { DocumentEvent } from "@rubrica/events";
import type { EventEvidence, Evidence, SignerEvidence } from "../evidence/evidence.ts";
import type { Block, Span, Text, Tone } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { utcMilliseconds } from "./times.ts";
import { clipped } from "./words.ts";

/** A document of fifty signers who tried everything has some 5,000 events; the first of them are shown. */
const MAX_EVENTS = 2_000;
const HASH_DIGITS = 16;

const signerOf = ({ event }: EventEvidence, { signers }: Evidence): SignerEvidence | undefined => {
  const data = event?.data;
  return data && "signerId" in data ? signers.find(({ signerId }) => signerId === data.signerId) : undefined;
};

const actorOf = (entry: EventEvidence, { log: { actors, services } }: ReportTexts): string => {
  const { actor } = entry;
  if (actor.startsWith("service/")) {
    const service = actor.slice("service/".length);
    return actors.service(services[service] ?? service);
  }
  if (actor === "provider" && entry.simulated) return actors.simulator;
  return actor === "integrator" || actor === "signer" || actor === "operator" || actor === "provider"
    ? actors[actor]
    : clipped(actor, 100);
};

/** Who did it, and the signer whom it is about, as they were named then. */
const whoOf = (entry: EventEvidence, evidence: Evidence, texts: ReportTexts): Text[] => {
  const signer = signerOf(entry, evidence);
  const actor = actorOf(entry, texts);
  if (!signer) return [actor];
  const next = signer.corrections.find(({ revision }) => revision > entry.revision);
  const called = next ? next.formerName : (signer.person?.name ?? null);
  const name = called === null ? texts.forgotten : clipped(called, 200);
  const about = evidence.signers.length > 1 ? `${signer.number}. ${name}` : name;
  return [actor, [{ text: about, size: 7, tone: "muted" }]];
};

/** The time that an event sets, where that is all that it tells. */
const momentIn = (event: DocumentEvent, { utc }: ReportTexts): string | null => {
  if (event.type === "ReminderScheduled") return event.data.dueAt && `${utcMilliseconds(event.data.dueAt)} ${utc}`;
  return event.type === "DocumentExpiryChanged" ? `${utcMilliseconds(event.data.expiresAt)} ${utc}` : null;
};

const whatOf = (entry: EventEvidence, texts: ReportTexts): Text[] => {
  const { log } = texts;
  const type: Span[] = [{ text: entry.type, face: "monospaced", size: 6.8, tone: "muted" }];
  const { event } = entry;
  if (!event) return [[{ text: log.unreadable, tone: "bad", face: "bold" }], type];
  const { data } = event;
  const details = [
    "attempt" in data ? log.attempt(data.attempt) : null,
    "result" in data ? texts.checksOfSigner.results[data.result] : null,
    "reason" in data && event.type !== "DocumentWithdrawn" ? data.reason : null,
    momentIn(event, texts),
    entry.simulated ? texts.simulation.mark : null,
  ].filter((detail) => detail !== null);
  const name = event.type === "DocumentWithdrawn" ? log.withdrawals[event.data.reason] : log.events[event.type];
  const more = details.map((detail) => ` · ${detail}`).join("");
  return [name, [...type, { text: more, size: 7, tone: "muted" }]];
};

const toneOf = ({ revision }: EventEvidence, { chain }: Evidence): Tone =>
  revision === chain.brokenAt ? "bad" : "ink";

/** The document's whole event log, in order. */
export const eventLog = (evidence: Evidence, texts: ReportTexts): Block[] => {
  const { log: words } = texts;
  const shown = evidence.events.slice(0, MAX_EVENTS);
  const left = evidence.events.length - shown.length;
  return [
    { kind: "section", title: words.title },
    { kind: "paragraph", text: words.intro, tone: "muted" },
    {
      kind: "table",
      columns: [
        { title: words.number, width: 22 },
        { title: words.at, width: 102 },
        { title: words.event },
        { title: words.actor, width: 108 },
        { title: words.hash, width: 74 },
      ],
      rows: shown.map((entry) => [
        [String(entry.revision + 1)],
        [utcMilliseconds(entry.at)],
        whatOf(entry, texts),
        whoOf(entry, evidence, texts),
        [[{ text: entry.hash.slice(0, HASH_DIGITS), face: "monospaced", size: 7.5, tone: toneOf(entry, evidence) }]],
      ]),
    },
    ...(left > 0 ? [{ kind: "paragraph", text: words.more(left) } as const] : []),
  ];
};
