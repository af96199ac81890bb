import { configFrom } from "@rubrica/config";
import type { Position } from "@rubrica/event-store";
import { type DomainEvent, definitionOf, sample, streamName } from "@rubrica/events";
import { type Host, openHost } from "@rubrica/hosting";
import { createLogger } from "@rubrica/http";
import { openEngines } from "@rubrica/open-engines/stores";
import {
  analytics,
  type Collection,
  createFreshness,
  documents,
  eventLog,
  lowestCheckpoint,
  type Projection,
} from "@rubrica/read-models";
import { openMongoReadModelStore } from "@rubrica/read-models/mongodb";
import { systemClock, systemRuntime } from "@rubrica/runtime";
import type { LeaseStore } from "@rubrica/storage";
import { openMongoLeaseStore } from "@rubrica/storage/mongodb";
import { createMongoConnections } from "@rubrica/storage/mongodb/testing";
import { eventually, HANGING_MS, temporaryFolder } from "@rubrica/test-kit";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { expect, test } from "vitest";
import { openProjector } from "../../src/app.ts";

const DOCUMENTS = 300;
/** What the newer release lays out otherwise. */
const raised: readonly Collection[] = [documents, analytics];
/** What is read of both releases. */
const read: readonly Collection[] = [...raised, eventLog];
const runtime = systemRuntime();
const logger = createLogger({ clock: runtime.clock, level: "silent" });

const newer = <C extends Collection>(collection: C): C =>
  raised.some(({ name }) => name === collection.name) ? { ...collection, version: collection.version + 1 } : collection;
const same = <C extends Collection>(collection: C): C => collection;

/** A lease as releases held it that did not say what they fill. */
const silent = (store: LeaseStore): LeaseStore => ({
  read: () => store.read(),
  replace: (seen, next) => store.replace(seen, { ...next, holder: next.holder?.split(" ")[0] ?? null }),
  close: () => store.close(),
});

/** The system's clock, by which no time passes while it stands: who has a lease keeps it, however slow its store is. */
const standable = () => {
  let stoodMs = 0;
  let stands: number | undefined;
  return {
    ...systemClock,
    monotonicMs: () => (stands ?? systemClock.monotonicMs()) - stoodMs,
    stand() {
      stands = systemClock.monotonicMs();
    },
    goOn() {
      stoodMs += systemClock.monotonicMs() - (stands ?? systemClock.monotonicMs());
      stands = undefined;
    },
  };
};
const clock = standable();

/** A projector's process on the events of the host and read models of its own connection, until it ends or dies. */
const openProcess = async (host: Host, url: string, connect: ReturnType<typeof createMongoConnections>["connect"]) => {
  const mongo = await connect(url);
  const ending = new AbortController();
  let isDead = false;
  const mortal = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          if (isDead) throw new Error("dead");
          return value.apply(target, given);
        };
      },
    });
  const readModels = await openMongoReadModelStore({ mongo, ...runtime, keepReplacedMs: 0 });
  /** From where each of its subscriptions began. */
  const starts: (Position | undefined)[] = [];
  const journal = new Proxy(host.engines.journal, {
    get(target, name) {
      if (name !== "subscribe") return Reflect.get(target, name);
      return (options: Parameters<typeof target.subscribe>[0]) => {
        starts.push(options.after);
        return target.subscribe(options);
      };
    },
  });
  const own: Host = {
    ...host,
    runtime: { ...host.runtime, clock },
    engines: {
      ...host.engines,
      journal,
      readModels: mortal(readModels),
      lease: mortal(openMongoLeaseStore({ mongo, name: "projector" })),
      fillingLease: mortal(openMongoLeaseStore({ mongo, name: "projector filling" })),
      freshness: createFreshness({ readModels, clock: runtime.clock }),
    },
  };
  return {
    readModels,
    starts,
    freshness: own.engines.freshness,
    start(version: typeof newer, isSilent = false) {
      const lease = isSilent ? silent(own.engines.lease) : own.engines.lease;
      const app = openProjector(
        { ...own, engines: { ...own.engines, lease } },
        { kinds: [], inPlaceOf: (projection: Projection) => version(projection) },
      );
      const running = app.run?.(ending.signal);
      return {
        async end() {
          ending.abort();
          await running;
        },
        /** Nothing of what it was about to do happens any more, and its leases are not let go of. */
        async die() {
          isDead = true;
          await this.end();
        },
      };
    },
  };
};

const requestOf = (documentId: string): DomainEvent => {
  const { data, personal } = definitionOf("DocumentRequested").example;
  return { type: "DocumentRequested", data: { ...data, documentId }, personal } as DomainEvent;
};

test.skipIf(!hasMongo())(
  "in the order projector, query-api, old projector off, no reader is told to come again",
  async () => {
    using folder = temporaryFolder();
    await using server = await startMongo();
    const { connect, drop } = createMongoConnections();
    const url = server.newDatabase();
    const host = await openHost(openEngines, configFrom({ DATA_DIR: folder.path }), runtime, logger);
    const { journal, events } = host.engines;
    const open = () => openProcess(host, url, connect);
    const reader = await open();
    const ids: string[] = [];
    const write = async () => {
      const id = runtime.ids.uuidv7();
      const context = { ...sample, commandId: id, actor: "integrator", correlationId: id, causationId: id };
      await journal.append(streamName("document", id), undefined, [requestOf(id)], context);
      ids.push(id);
    };
    // What is missing never comes, and a machine that others use as well is no fault: longer than a GET waits.
    const see = async (version: typeof newer): Promise<boolean> => {
      const last = await events.lastPosition();
      if (!last) return false;
      const waits = read.map((one) => reader.freshness.waitFor(version(one), last, HANGING_MS));
      return (await Promise.all(waits)).every(Boolean);
    };
    for (let number = 0; number < DOCUMENTS; number++) await write();

    const old = (await open()).start(same, true);
    expect(await see(same)).toBe(true);
    const live = () => Promise.all(raised.map((one) => reader.readModels.liveGeneration(one)));
    const before = await live();

    /** What query-api reads; whatever it asks is asked of what was just written. */
    let queried: typeof newer = same;
    let isOver = false;
    const refused: string[] = [];
    let answered = 0;
    const querying = (async () => {
      while (!isOver) {
        await write();
        const version = queried;
        if (await see(version)) answered += 1;
        else refused.push(`${version === same ? "old" : "new"} after ${answered}`);
      }
    })();
    try {
      const dying = await open();
      const first = dying.start(newer);
      const checkpoints = () => Promise.all(raised.map((one) => reader.readModels.checkpointOf(newer(one))));
      await eventually("it fills", async () => (await checkpoints()).every(Boolean));
      await first.die();
      const left = lowestCheckpoint((await checkpoints()).map((checkpoint) => ({ checkpoint })));

      const [taking, idle] = [await open(), await open()];
      const second = taking.start(newer);
      await eventually("another one fills", () => taking.starts.length > 0);
      clock.stand();
      const third = idle.start(newer);
      expect(await see(newer)).toBe(true);
      expect(taking.starts.every((after) => after && left && after.commit >= left.commit)).toBe(true);
      expect(taking.starts).toHaveLength(2);
      expect(idle.starts).toEqual([]);
      expect(await live()).toEqual(before);
      clock.goOn();

      const since = answered;
      queried = newer;
      await eventually("the newer query-api answers", () => answered > since + 1 || refused.length > 0);
      await old.end();
      await eventually("the older release's are dropped", async () => {
        const lower = raised.map((one) => reader.readModels.hasLowerVersions(newer(one)));
        return !(await Promise.all(lower)).includes(true);
      });
      const atLast = answered;
      await eventually("it goes on", () => answered > atLast + 1 || refused.length > 0);
      isOver = true;
      await querying;
      expect(refused).toEqual([]);
      const found = await Promise.all(ids.map((id) => reader.readModels.get(newer(documents), id)));
      expect(found.filter((one) => one !== undefined)).toHaveLength(ids.length);
      await Promise.all([second.end(), third.end()]);
    } finally {
      isOver = true;
      await querying.catch(() => {});
      await old.end();
    }
    await host.engines.close();
    await drop();
  },
);
