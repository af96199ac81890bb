import { idsFrom, isoTime, systemRandom } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { eventually, samplePdf, sampleSigner, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { type Inspection, inspect } from "../support/inspection.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";
import { TravelClock } from "../support/travel-clock.ts";

// A year passes in seconds: the clock goes from one thing that falls due to the next, is set back and forth, and the
// service ends and starts again.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** On the southern half of the earth summer time ends within the year, and begins; on the northern half the other way round. */
const FROM_MS = Date.UTC(2027, 0, 4, 15, 20);
/** The clock is wrong by at most so much, either way. */
const MOST_SET_BY_MS = 3 * HOUR_MS;
/** Something is met so much later than it fell due, at most. */
const MOST_LATE_MS = 5 * HOUR_MS;
const MOST_STOPPED_MS = 40 * HOUR_MS;
const MOST_STEPS_BETWEEN_RESTARTS = 20;
/** From an hour in which nobody is disturbed it is so long to the next one, at most. */
const NIGHT_MS = 14 * HOUR_MS;

const seed = Number(process.env.RUBRICA_YEAR_SEED ?? Math.floor(systemRandom.fraction() * 2 ** 31));
const random = seededRandom(seed);

interface Asked {
  timeZone: string;
  phone: string;
  afterHours: number;
  everyHours: number;
  max: number;
  /** Days until it expires; null: never. */
  days: number | null;
}

/** By their phone's country, or as the request names it: with summer time, without, and with half hours. */
const asked: readonly Asked[] = [
  {
    timeZone: "America/Argentina/Buenos_Aires",
    phone: "5491140000001",
    afterHours: 24,
    everyHours: 1_400,
    max: 6,
    days: null,
  },
  { timeZone: "Europe/Madrid", phone: "34612345601", afterHours: 1, everyHours: 1_400, max: 6, days: null },
  { timeZone: "America/Santiago", phone: "56912345601", afterHours: 2_088, everyHours: 12, max: 6, days: 120 },
  { timeZone: "America/New_York", phone: "5491140000002", afterHours: 1_608, everyHours: 12, max: 6, days: null },
  { timeZone: "Australia/Lord_Howe", phone: "5491140000003", afterHours: 2_112, everyHours: 13, max: 6, days: 200 },
  { timeZone: "Asia/Kolkata", phone: "5491140000004", afterHours: 12, everyHours: 24, max: 3, days: 30 },
  { timeZone: "Pacific/Chatham", phone: "5491140000005", afterHours: 6_312, everyHours: 12, max: 6, days: null },
  { timeZone: "America/Mexico_City", phone: "5215512345601", afterHours: 700, everyHours: 240, max: 5, days: null },
  { timeZone: "Europe/Lisbon", phone: "351912345601", afterHours: 48, everyHours: 48, max: 10, days: 1 },
];

type Kept = Asked & { id: string; askedMs: number; expiresAtMs: number | null };

const upTo = (longestMs: number): number => Math.floor(random.fraction() * longestMs);
const isChance = (one: number, of: number): boolean => random.fraction() < one / of;

/** The service, its clock, and what is looked up beside it, through all restarts. */
class Year implements AsyncDisposable {
  readonly clock = new TravelClock(FROM_MS);
  readonly #folder = temporaryFolder();
  #service: TestService | undefined;
  #inspection: Inspection | undefined;
  #stepsToRestart = upTo(MOST_STEPS_BETWEEN_RESTARTS);
  restarts = -1;
  settings = 0;

  get client() {
    if (!this.#service) throw new Error("the service does not run");
    return this.#service.client;
  }

  async start(): Promise<void> {
    const runtime = { clock: this.clock, random: systemRandom, ids: idsFrom(this.clock, systemRandom) };
    this.#service = await serviceInProcess({ runtime, dataDir: this.#folder.path });
    this.#inspection ??= await inspect(this.#folder.path);
    this.restarts += 1;
  }

  async stop(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    this.#service = undefined;
  }

  events() {
    return this.#inspection?.events() ?? [];
  }

  /** Until all is met that has fallen due, reports too: one whose hours pass while it is rendered is begun again. */
  async isSettled(): Promise<void> {
    await eventually("that nothing is due", async () => (await this.#dueTimes()).every((at) => at > this.clock.now()));
  }

  /** To the next moment at which something falls due, or past it, or not so far; the clock and the service may change. */
  async goesOn(): Promise<void> {
    if (isChance(1, 8)) await this.#isSet();
    const next = Math.min(
      ...(await this.#dueTimes()).filter((at) => at > this.clock.now()),
      this.clock.now() + 20 * DAY_MS,
    );
    const restarts = this.#stepsToRestart === 0;
    this.#stepsToRestart = restarts ? upTo(MOST_STEPS_BETWEEN_RESTARTS) : this.#stepsToRestart - 1;
    if (restarts && isChance(1, 2)) await this.stop();
    const untilMs = next - this.clock.now() + 1;
    const late = isChance(1, 3) ? upTo(MOST_LATE_MS) : 0;
    this.clock.passes(isChance(1, 8) ? upTo(untilMs) : untilMs + late);
    if (restarts) {
      await this.stop();
      this.clock.passes(upTo(MOST_STOPPED_MS));
      await this.start();
    }
    await this.isSettled();
  }

  async #isSet(): Promise<void> {
    this.clock.isSetBy(upTo(2 * MOST_SET_BY_MS) - MOST_SET_BY_MS);
    this.settings += 1;
    await this.isSettled();
  }

  async #dueTimes(): Promise<number[]> {
    const open = (await this.#inspection?.openObligations()) ?? [];
    return open.map(({ dueAt }) => Date.parse(dueAt));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#inspection?.[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

const request = async ({ client, clock }: Year, one: Asked, number: number): Promise<Kept> => {
  const askedMs = clock.now();
  const expiresAtMs = one.days === null ? null : askedMs + one.days * DAY_MS;
  const { id_seguimiento: id } = await client.requestDocument(
    await samplePdf(),
    [sampleSigner(number, { phone: one.phone })],
    {
      reminders: { after_hours: one.afterHours, every_hours: one.everyHours, max: one.max },
      ...(one.phone.startsWith("54911400") ? { time_zone: one.timeZone } : {}),
      ...(expiresAtMs === null ? {} : { expires_at: isoTime(expiresAtMs) }),
    },
  );
  return { ...one, id, askedMs, expiresAtMs };
};

const hourIn = (timeZone: string, at: string): number =>
  Number(new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" }).format(Date.parse(at)));

/** How many reminders there must be, at least and at most: all, unless its time ends before. */
const remindersOf = ({ afterHours, everyHours, max, askedMs, expiresAtMs }: Kept): [least: number, most: number] => {
  if (expiresAtMs === null) return [max, max];
  const forAll = expiresAtMs - askedMs - afterHours * HOUR_MS;
  const within = (pauseMs: number, slackMs: number): number =>
    Math.max(0, Math.min(max, Math.floor((forAll + slackMs) / pauseMs) + 1));
  const mostPauseMs = everyHours * HOUR_MS + NIGHT_MS + MOST_LATE_MS + MOST_STOPPED_MS;
  return [within(mostPauseMs, -mostPauseMs), within(everyHours * HOUR_MS, 2 * MOST_SET_BY_MS)];
};

test("in a year with restarts, and a clock that is set, each reminder and each expiry comes once, by day", async () => {
  console.info(`a year: RUBRICA_YEAR_SEED=${seed}`);
  await using year = new Year();
  await year.start();
  const kept: Kept[] = [];
  for (const [number, one] of asked.entries()) kept.push(await request(year, one, number));
  await year.isSettled();
  let steps = 0;
  for (; year.clock.now() < FROM_MS + 366 * DAY_MS; steps++) await year.goesOn();
  const events = await year.events();
  for (const one of kept) {
    const [, ...reminders] = await year.client.messagesTo(one.phone);
    const own = events.filter(({ streamId }) => streamId === one.id);
    expect(own.filter(({ type }) => type === "ReminderSent")).toHaveLength(reminders.length);
    const [least, most] = remindersOf(one);
    expect(reminders.length, one.timeZone).toBeGreaterThanOrEqual(least);
    expect(reminders.length, one.timeZone).toBeLessThanOrEqual(most);
    for (const [index, { at }] of reminders.entries()) {
      const hour = hourIn(one.timeZone, at);
      expect(hour >= 9 && hour < 20, `${one.timeZone}: ${at}`).toBe(true);
      const before = reminders[index - 1]?.at;
      const sinceMs = Date.parse(at) - (before === undefined ? one.askedMs : Date.parse(before));
      const wantedMs = (before === undefined ? one.afterHours : one.everyHours) * HOUR_MS;
      expect(sinceMs).toBeGreaterThanOrEqual(wantedMs);
      expect(Date.parse(at)).toBeLessThan(one.expiresAtMs ?? Number.POSITIVE_INFINITY);
    }
    const ends = own.filter(({ type }) => type === "DocumentWithdrawn");
    expect(ends).toHaveLength(one.expiresAtMs === null ? 0 : 1);
    for (const { metadata } of ends) expect(Date.parse(metadata.at)).toBeGreaterThanOrEqual(one.expiresAtMs ?? 0);
    const told = (await year.client.eventNames(one.id)).filter((name) => name === "document_expired");
    expect(told).toHaveLength(ends.length);
  }
  console.info(`${steps} steps, ${year.restarts} restarts, the clock set ${year.settings} times`);
});
