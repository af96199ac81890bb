import type { ObligationKind } from "@rubrica/domain";
import { comparePositions, type Position } from "@rubrica/event-store";
import {
  LAST,
  type ObligationsCollection,
  type OpenObligationRecord,
  OWED_FIELD,
  owedKey,
  type ReadModelStore,
} from "@rubrica/read-models";
import { isoTime } from "@rubrica/runtime";
import { intervalAt } from "./schedule.ts";

/** Records read, and published, at a time: some milliseconds. */
const PAGE = 32;

/** What became of an obligation that was to be published. "published" also where it is under way already. */
export type PublishResult = "published" | "no_slot" | "bus_full";

/** One way through all that is due. */
interface Pass {
  startedMs: number;
  /** How far the projection had come when it started. */
  position: Position | undefined;
  /** The last key that was dealt with. */
  after: string;
  /** When the first of what it passed is to be published again. */
  nextMs: number;
}

/** What a cursor goes through, and `publish`, which is given what is to be published. */
export interface CursorOptions {
  kind: ObligationKind;
  /** As {@link laneOf} names it. */
  lane: string;
  collection: ObligationsCollection;
  readModels: Pick<ReadModelStore, "findRange" | "checkpointOf">;
  publish: (record: OpenObligationRecord, sinceDueMs: number, nowMs: number) => Promise<PublishResult>;
}

/**
 * Goes through what is due of one kind and one lane, earliest first, as far as slots are free, again and again. A pass
 * publishes the records that changed since the last pass began, and those for which a new interval (`schedule.ts`) has
 * begun since; the last pass published the others.
 */
export class LaneCursor {
  readonly #options: CursorOptions;
  #previous: Pass | undefined;
  #pass: Pass | undefined;
  #wantedMs = Number.POSITIVE_INFINITY;

  constructor(options: CursorOptions) {
    this.#options = options;
  }

  /** Has it look again at that moment, if not earlier. */
  wantAt(atMs: number): void {
    this.#wantedMs = Math.min(this.#wantedMs, atMs);
  }

  /** Whether there is something to be gone through now. */
  isReady(nowMs: number): boolean {
    return this.#pass !== undefined || this.#wantedMs <= nowMs;
  }

  /** Goes on by one page. "done": the pass is over; "idle": so it is, and nothing is open at all. */
  async goOn(nowMs: number): Promise<"more" | "done" | "idle" | Exclude<PublishResult, "published">> {
    const pass = this.#pass ?? (await this.#begin(nowMs));
    this.#pass = pass;
    const page = await this.#page(pass.after, this.#key(isoTime(pass.startedMs), LAST), PAGE);
    for (const { position, document } of page) {
      const outcome = await this.#dealWith(pass, document, position, nowMs);
      if (outcome !== "published") return outcome;
      pass.after = document.due;
    }
    return page.length === PAGE ? "more" : this.#end(pass);
  }

  async #begin(nowMs: number): Promise<Pass> {
    const { readModels, collection } = this.#options;
    this.#wantedMs = Number.POSITIVE_INFINITY;
    const position = await readModels.checkpointOf(collection);
    return { startedMs: nowMs, position, after: this.#key(""), nextMs: Number.POSITIVE_INFINITY };
  }

  async #dealWith(pass: Pass, record: OpenObligationRecord, position: Position, nowMs: number): Promise<PublishResult> {
    const dueMs = Date.parse(record.obligation.dueAt);
    const { startMs, endMs } = intervalAt(nowMs - dueMs);
    const outcome = this.#isToBePublished(position, dueMs + startMs)
      ? await this.#options.publish(record, nowMs - dueMs, nowMs)
      : "published";
    if (outcome === "published") pass.nextMs = Math.min(pass.nextMs, dueMs + endMs);
    return outcome;
  }

  #isToBePublished(position: Position, intervalStartMs: number): boolean {
    const last = this.#previous;
    if (!last?.position || intervalStartMs > last.startedMs) return true;
    return comparePositions(position, last.position) > 0;
  }

  async #end(pass: Pass): Promise<"done" | "idle"> {
    const [next] = await this.#page(this.#key(isoTime(pass.startedMs), LAST), this.#key(LAST), 1);
    this.wantAt(Math.min(pass.nextMs, next ? Date.parse(next.document.obligation.dueAt) : Number.POSITIVE_INFINITY));
    this.#previous = pass;
    this.#pass = undefined;
    return this.#wantedMs === Number.POSITIVE_INFINITY ? "idle" : "done";
  }

  #page(after: string, upTo: string, limit: number) {
    const { readModels, collection } = this.#options;
    return readModels.findRange<OpenObligationRecord>(collection, OWED_FIELD, { after, upTo, limit });
  }

  #key(...rest: string[]): string {
    return owedKey(this.#options.kind, this.#options.lane, ...rest);
  }
}
