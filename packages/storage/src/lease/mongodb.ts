import { isDuplicateKey } from "../mongodb/duplicates.ts";
import type { Mongo } from "../mongodb/open.ts";
import type { LeaseStore } from "./port.ts";

const COLLECTION = "leases";

interface LeaseDocument {
  _id: string;
  holder: string | null;
  epoch: number;
  beat: number;
}

/** A lease that is one document of MongoDB. Closing it leaves the connection to whoever opened it. */
export const openMongoLeaseStore = ({ mongo, name }: { mongo: Pick<Mongo, "db">; name: string }): LeaseStore => {
  const leases = mongo.db.collection<LeaseDocument>(COLLECTION);
  return {
    async read() {
      const found = await leases.findOne({ _id: name });
      return found ? { holder: found.holder, epoch: found.epoch, beat: found.beat } : undefined;
    },
    async replace(seen, next) {
      if (seen) {
        const asSeen = { _id: name, epoch: seen.epoch, beat: seen.beat };
        return (await leases.findOneAndUpdate(asSeen, { $set: next })) !== null;
      }
      try {
        await leases.insertOne({ _id: name, ...next });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async close() {},
  };
};
