import type { Host } from "@rubrica/hosting";
import type { Collection, Projection, ReadModelStore } from "@rubrica/read-models";
import type { Lease } from "@rubrica/storage";
import { openProjecting } from "./projecting.ts";

const versionOf = ({ name, version }: Collection): string => `${name}/${version}`;

/** A projector's name in the lease: projectors that wait read there which versions it fills. */
export const holderName = (id: string, collections: readonly Collection[]): string =>
  [id, ...collections.map(versionOf)].join(" ");

/**
 * The collections whose version the holder of the lease does not fill. Holders of older releases don't name what they
 * fill. Of those, a collection counts as not filled where it has no checkpoint, or where a lower version is still kept
 * beside it: a holder drops lower versions than its own.
 */
export const lackedBy = async <C extends Collection>(
  holder: string,
  collections: readonly C[],
  store: Pick<ReadModelStore, "checkpointOf" | "hasLowerVersions">,
): Promise<C[]> => {
  const [, ...told] = holder.split(" ");
  if (told.length > 0) return collections.filter((collection) => !told.includes(versionOf(collection)));
  const lacked: C[] = [];
  for (const collection of collections)
    if ((await store.checkpointOf(collection)) === undefined || (await store.hasLowerVersions(collection)))
      lacked.push(collection);
  return lacked;
};

/** What a projector does while another one has the lease. */
export interface Filling {
  /** Has it fill what this holder lacks, until another holder is told. Told again of the same one, it does nothing more. */
  whileHeldBy(holder: string): void;
  /** Ends it; resolves once what was in flight is applied. */
  end(): Promise<void>;
  /** Why each projection that is stopped is. */
  stopped(): ReadonlyMap<string, string>;
}

interface Shift {
  holder: string;
  ending: AbortController;
  ended: Promise<void>;
}

/**
 * Fills versions that the holder does not fill, so that readers find them filled once the lease goes over. Of all
 * projectors that wait one fills, by a lease of its own. It goes on from the checkpoints, and drops nothing.
 */
export const openFilling = (
  host: Pick<Host, "runtime" | "logger" | "engines">,
  projections: readonly Projection[],
  openLease: () => Lease,
  beforeApply?: () => Promise<void>,
): Filling => {
  let shift: Shift | undefined;
  let stopped: () => ReadonlyMap<string, string> = () => new Map();

  const end = async (): Promise<void> => {
    const last = shift;
    shift = undefined;
    last?.ending.abort();
    await last?.ended;
  };

  const fill = async (lacked: readonly Projection[], signal: AbortSignal): Promise<void> => {
    host.logger.info({ projections: lacked.map(versionOf) }, "this projector fills what the one that works lacks");
    const projecting = openProjecting(host, lacked, {
      ...(beforeApply ? { beforeApply } : {}),
      mayDropLower: () => false,
    });
    stopped = projecting.stopped;
    await projecting.run(signal);
    stopped = () => new Map();
  };

  const work = async (holder: string, { signal }: AbortController): Promise<void> => {
    try {
      const lacked = await lackedBy(holder, projections, host.engines.readModels);
      if (lacked.length > 0) await openLease().run((ending) => fill(lacked, ending), signal);
    } catch (error) {
      host.logger.warn({ err: error }, "what the projector that works lacks can't be filled; it is tried again");
      // The holder is told of again with the next look at the lease.
      if (shift?.ending.signal === signal) shift = undefined;
    }
  };

  return {
    whileHeldBy(holder) {
      if (shift?.holder === holder) return;
      const before = end();
      const ending = new AbortController();
      shift = { holder, ending, ended: before.then(() => work(holder, ending)) };
    },
    end,
    stopped: () => stopped(),
  };
};
