import { currentConsent } from "@rubrica/domain";
import type { Provider } from "@rubrica/events";
import { ipOf, names, Writer } from "./entries.ts";

/** How one signer's part goes. */
export interface Part {
  template: "none" | "fails" | "sent";
  failures: number;
  delivered: boolean;
  read: boolean;
  answer: "none" | "continues" | "refuses";
  link: "none" | "fails" | "sent";
  linkDelivered: boolean;
  openings: number;
  check: "none" | "approved" | "rejected";
  consents: boolean;
}

/** How a document's life goes; `rejects`: the last signer does, instead of signing. */
export interface Plan {
  parts: readonly Part[];
  messaging: Provider | null;
  identity: Provider | null;
  rejects: boolean;
  erased: boolean;
  sendMessages: boolean;
}

/** Tells whether an event, by its number, is still there. */
export type Has = (event: number) => boolean;

/** A sentence in the section of a signer (by index), or elsewhere by the section's title; and when it may stand there. */
export interface Claim {
  where: number | string;
  line: string;
  holds: (has: Has) => boolean;
}

const two = (value: number): string => String(value).padStart(2, "0");
/** A life begins on 21 November 2026 at 15:00:00.250 UTC, and has an event a second. */
const clock = (event: number): string => `21/11/2026 15:${two(Math.floor(event / 60))}:${two(event % 60)}`;
const precise = (event: number): string => `${clock(event)}.250 UTC`;

/** One signer's events, by their numbers. */
interface Numbers {
  attempts: Record<"template" | "link", number[]>;
  failures: Record<"template" | "link", number[]>;
  sent: Record<"template" | "link", number | null>;
  delivered: Record<"template" | "link", number | null>;
  read: number | null;
  answer: number | null;
  openings: number[];
  check: number | null;
  consent: number | null;
  signed: number | null;
  rejected: number | null;
}

/** Writes a signer's part down and gives the numbers of its events. */
const live = (writer: Writer, part: Part, index: number, sha256: string, rejects: boolean): Numbers => {
  const numbers: Numbers = {
    attempts: { template: [], link: [] },
    failures: { template: [], link: [] },
    sent: { template: null, link: null },
    delivered: { template: null, link: null },
    read: null,
    answer: null,
    openings: [],
    check: null,
    consent: null,
    signed: null,
    rejected: null,
  };
  const number = (write: () => void): number => {
    write();
    return writer.entries.length - 1;
  };
  const send = (kind: "template" | "link", outcome: "none" | "fails" | "sent"): void => {
    if (outcome === "none") return;
    const tries = outcome === "fails" ? part.failures : 1;
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      numbers.attempts[kind].push(number(() => writer.attempted(index, kind, attempt)));
      if (outcome === "sent") numbers.sent[kind] = number(() => writer.sent(index, kind, attempt));
      else numbers.failures[kind].push(number(() => writer.failed(index, kind, attempt, "unreachable")));
    }
  };
  send("template", part.template);
  if (part.template === "sent") {
    if (part.delivered)
      numbers.delivered.template = number(() => writer.noticed("MessageDelivered", index, "template"));
    if (part.read) numbers.read = number(() => writer.noticed("MessageRead", index, "template"));
    if (part.answer === "continues") numbers.answer = number(() => writer.answered("TemplateAnswered", index));
    if (part.answer === "refuses") numbers.answer = number(() => writer.answered("ContinueRefused", index));
  }
  send("link", part.link);
  if (part.link === "sent" && part.linkDelivered) {
    numbers.delivered.link = number(() => writer.noticed("MessageDelivered", index, "link"));
  }
  for (let opening = 0; opening < part.openings; opening += 1)
    numbers.openings.push(number(() => writer.opened(index)));
  if (part.check !== "none") {
    const result = part.check;
    numbers.check = number(() => writer.checkedSelfie(index, result));
  }
  if (rejects) {
    numbers.rejected = number(() => writer.rejected(index, "No estoy de acuerdo"));
    return numbers;
  }
  if (part.consents) numbers.consent = number(() => writer.consented(index, sha256));
  numbers.signed = number(() => writer.signed(index, sha256));
  return numbers;
};

const present = (has: Has, event: number | null): boolean => event !== null && has(event);
const any = (has: Has, events: readonly (number | null)[]): boolean => events.some((event) => present(has, event));

const allMessages = ({ attempts, failures, sent, delivered, read, answer }: Numbers): (number | null)[] => [
  ...attempts.template,
  ...attempts.link,
  ...failures.template,
  ...failures.link,
  sent.template,
  sent.link,
  delivered.template,
  delivered.link,
  read,
  answer,
];

/**
 * Whether it is known who brought a message that an event tells of: by an attempt before it; of an answer, by one before
 * some other event of the same copy.
 */
const isKnown = (has: Has, numbers: Numbers, kind: "template" | "link", event: number): boolean => {
  const attempted = (before: number) => numbers.attempts[kind].some((attempt) => attempt < before && has(attempt));
  if (event !== numbers.answer) return attempted(event);
  return [numbers.sent.template, numbers.delivered.template, numbers.read].some(
    (copy) => copy !== null && has(copy) && attempted(copy),
  );
};

/** Each event that is told of a message, with its words, and of which message. */
const toldOf = (numbers: Numbers, part: Part): [event: number | null, words: string, kind: "template" | "link"][] => [
  ...numbers.failures.template.map((event): [number, string, "template"] => [
    event,
    "Mensaje no entregado",
    "template",
  ]),
  ...numbers.failures.link.map((event): [number, string, "link"] => [event, "Enlace no entregado", "link"]),
  [numbers.sent.template, "Mensaje enviado", "template"],
  [numbers.delivered.template, "Mensaje entregado", "template"],
  [numbers.read, "Mensaje leído", "template"],
  [numbers.answer, part.answer === "refuses" ? "Respondió que no continúa" : "Respondió que continúa", "template"],
  [numbers.sent.link, "Enlace enviado", "link"],
  [numbers.delivered.link, "Enlace entregado", "link"],
];

/** What may be said of how a signer was reached; nothing else may. */
const contactClaims = (index: number, part: Part, numbers: Numbers, plan: Plan): Claim[] => {
  const { messaging, sendMessages } = plan;
  const claim = (line: string, holds: Claim["holds"]): Claim => ({ where: index, line: `Contacto: ${line}`, holds });
  const messages = allMessages(numbers);
  const told = toldOf(numbers, part);
  const isSimulated = (has: Has): boolean =>
    messaging?.simulated === true &&
    any(has, messages) &&
    told.every(([event, , kind]) => event === null || !has(event) || isKnown(has, numbers, kind, event));
  const headline = (has: Has): string => {
    if (isSimulated(has)) return "Por mensaje simulado: ningún mensaje llegó a un teléfono";
    if (present(has, numbers.sent.link)) return "Por mensaje al teléfono indicado, con un enlace personal";
    if (present(has, numbers.sent.template))
      return "Por mensaje al teléfono indicado; no consta el envío del enlace personal";
    if (any(has, [...numbers.attempts.template, ...numbers.attempts.link]))
      return "Se intentó enviarle un mensaje; no consta que haya salido";
    return sendMessages
      ? "No consta ningún mensaje del servicio"
      : "Sin mensajes del servicio, por pedido del solicitante";
  };
  const headlines = [
    "Por mensaje simulado: ningún mensaje llegó a un teléfono",
    "Por mensaje al teléfono indicado, con un enlace personal",
    "Por mensaje al teléfono indicado; no consta el envío del enlace personal",
    "Se intentó enviarle un mensaje; no consta que haya salido",
    "No consta ningún mensaje del servicio",
    "Sin mensajes del servicio, por pedido del solicitante",
  ];
  const stepClaims = told.flatMap(([event, words, kind]): Claim[] => {
    if (event === null) return [];
    const line = `${words}: ${precise(event)}${words.endsWith("no entregado") ? " (el teléfono no puede recibirlo)" : ""}`;
    const marked = (has: Has) => messaging?.simulated === true && isKnown(has, numbers, kind, event);
    return [
      claim(line, (has) => has(event) && !marked(has)),
      claim(`${line} · simulado`, (has) => has(event) && marked(has)),
    ];
  });
  const named = (has: Has) => messaging !== null && any(has, [...numbers.attempts.template, ...numbers.attempts.link]);
  const isUnnamed = (has: Has) =>
    messaging === null
      ? any(has, messages)
      : told.some(([event, , kind]) => event !== null && has(event) && !isKnown(has, numbers, kind, event));
  const name = messaging ? `${messaging.name}${messaging.simulated ? ", simulado" : ""}` : "nobody";
  return [
    ...headlines.map((line) => claim(line, (has) => headline(has) === line)),
    claim(
      "Llegó con su enlace personal; no consta quién se lo entregó",
      (has) => any(has, [...numbers.openings, numbers.signed, numbers.rejected]) && !present(has, numbers.sent.link),
    ),
    claim(`Proveedor de mensajes: ${name}`, named),
    claim("Proveedor de mensajes: No registrado", isUnnamed),
    ...stepClaims,
    ...numbers.openings.map((event, position) =>
      claim(
        `Página de firma abierta: ${precise(event)}`,
        (has) => has(event) && !any(has, numbers.openings.slice(0, position)),
      ),
    ),
  ];
};

/** What may be said of what a signer did. */
const actClaims = (index: number, part: Part, numbers: Numbers, plan: Plan, sha256: string): Claim[] => {
  const { identity, erased, parts } = plan;
  const { signed, rejected, consent, check } = numbers;
  const claims: Claim[] = [];
  const claim = (line: string, holds: Claim["holds"]): void => void claims.push({ where: index, line, holds });
  const place = `Firmante ${index + 1} de ${parts.length}`;
  claim(`${place} · Firmó`, (has) => present(has, signed));
  claim(`${place} · Rechazó`, (has) => present(has, rejected));
  claim(`${place} · No firmó`, (has) => !any(has, [signed, rejected]));
  if (signed !== null) {
    claim(`Firmó el: ${precise(signed)}`, (has) => has(signed));
    claim(`Dirección IP al firmar: ${ipOf(index)}`, (has) => has(signed) && !erased);
    claim("Consentimiento: No consta", (has) => has(signed) && !present(has, consent));
  }
  if (rejected !== null) {
    claim(`Rechazó el: ${precise(rejected)}`, (has) => has(rejected));
    claim(`Dirección IP al rechazar: ${ipOf(index)}`, (has) => has(rejected) && !erased);
  }
  if (consent !== null) {
    claim(`Consentimiento: Versión ${currentConsent.version}, aceptado el ${precise(consent)}:`, (has) => has(consent));
    claim(`SHA-256 del archivo aceptado: ${sha256}`, (has) => has(consent));
  }
  if (check !== null) {
    const result = part.check === "approved" ? "Aprobado" : "Rechazado";
    const by = identity ? `${identity.name}${identity.simulated ? ", simulado" : ""}` : "No registrado";
    const said = `${result}${identity?.simulated ? " (simulado)" : ""} Proveedor: ${by}`;
    claim(`${precise(check).replace(" UTC", "")} | Selfie (biometría facial) | 1 | ${said}`, (has) => has(check));
  }
  return claims;
};

const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} y ${items.at(-1)}`;

/** What may be said of the document as a whole. */
const documentClaims = (plan: Plan, all: readonly Numbers[], sealed: number | null): Claim[] => {
  const { messaging, identity, erased } = plan;
  const claims: Claim[] = [];
  const claim = (where: string, line: string, holds: Claim["holds"]): void => void claims.push({ where, line, holds });
  const signatures = all.map(({ signed }) => signed);
  const signedIn = (has: Has) => signatures.filter((signed) => present(has, signed)) as number[];
  const said = (has: Has): string => {
    const left = signedIn(has);
    const last = `${clock(Math.max(...left))} UTC`;
    if (left.length === 0) return "No consta ninguna firma de las personas requeridas.";
    if (left.length < all.length)
      return `Firmas registradas: ${left.length} de ${all.length} requeridas. Última firma: ${last}.`;
    return all.length === 1
      ? `La persona requerida firmó el documento el ${last}.`
      : `Las ${all.length} personas requeridas firmaron el documento. Última firma: ${last}.`;
  };
  if (sealed !== null) {
    const whole = said(() => true);
    claim("", `Documento firmado. ${whole}`, (has) => said(has) === whole);
    claim("Sello electrónico", `Sellado el: ${precise(sealed)}`, (has) => has(sealed));
  } else {
    const rejecting = all.findIndex(({ rejected }) => rejected !== null);
    const who = erased ? `Firmante ${rejecting + 1} de ${all.length}` : names[rejecting];
    const at = all[rejecting]?.rejected ?? 0;
    const line = `Documento rechazado. ${who} rechazó el documento el ${clock(at)} UTC. El documento no reunió todas las firmas y no fue sellado.`;
    claim("", line, (has) => has(at));
  }
  const simulatedMessages = (has: Has) =>
    messaging?.simulated === true && all.some(({ attempts }) => any(has, [...attempts.template, ...attempts.link]));
  const simulatedChecks = (has: Has) =>
    identity?.simulated === true &&
    any(
      has,
      all.map(({ check }) => check),
    );
  const sentences = (has: Has) =>
    [
      simulatedMessages(has)
        ? `El envío de mensajes fue simulado por ${messaging?.name}: ningún mensaje llegó a un teléfono.`
        : "",
      simulatedChecks(has)
        ? `La validación de identidad fue simulada por ${identity?.name}: nadie comparó rostros ni documentos.`
        : "",
    ].filter((sentence) => sentence !== "");
  const simulation = sentences(() => true);
  if (simulation.length > 0) {
    const line = `Atención: con partes simuladas. ${simulation.join(" ")}`;
    claim("", line, (has) => sentences(has).join(" ") === simulation.join(" "));
  }
  const reached = (has: Has) =>
    all.some((numbers) =>
      (
        [
          [numbers.delivered.template, "template"],
          [numbers.read, "template"],
          [numbers.answer, "template"],
          [numbers.delivered.link, "link"],
        ] as const
      ).some(
        ([event, kind]) =>
          event !== null && has(event) && !(messaging?.simulated && isKnown(has, numbers, kind, event)),
      ),
    );
  const grounds = (has: Has) =>
    listed(
      [
        any(
          has,
          all.flatMap(({ openings, signed, rejected }) => [...openings, signed, rejected]),
        )
          ? "la posesión de su enlace personal"
          : "",
        reached(has) ? "la del teléfono en que recibió un mensaje" : "",
        any(
          has,
          all.map(({ check }) => check),
        ) && !identity?.simulated
          ? "las validaciones de identidad"
          : "",
      ].filter((ground) => ground !== ""),
    );
  const ground = grounds(() => true);
  const scope = `Que quien actuó es la persona nombrada se apoya en lo que este informe registra de cada firmante, y en nada más: ${ground}. Las horas de los eventos son las del reloj del servicio.`;
  claim("Alcance", scope, (has) => grounds(has) === ground);
  return claims;
};

/** A life by its plan, and all that a report may say of it; `needed`: without these events there is no report. */
export const lifeOf = (plan: Plan, original: Buffer) => {
  const writer = new Writer();
  writer.messaging = plan.messaging;
  writer.identity = plan.identity;
  const { sha256 } = writer.requested(original, plan.parts.length, { sendMessages: plan.sendMessages });
  const last = plan.parts.length - 1;
  const all = plan.parts.map((part, index) => live(writer, part, index, sha256, plan.rejects && index === last));
  const needed = [0];
  if (plan.rejects) needed.push(writer.entries.length - 1);
  else {
    writer.completed();
    needed.push(writer.entries.length - 1);
    writer.sealed();
    needed.push(writer.entries.length - 1);
  }
  const sealed = plan.rejects ? null : writer.entries.length - 1;
  const claims = plan.parts.flatMap((part, index) => {
    const numbers = all[index];
    if (!numbers) throw new Error("each signer has a part");
    return [...contactClaims(index, part, numbers, plan), ...actClaims(index, part, numbers, plan, sha256)];
  });
  return { life: writer.life(plan.erased), claims: [...claims, ...documentClaims(plan, all, sealed)], needed };
};
