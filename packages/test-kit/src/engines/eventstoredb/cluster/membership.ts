import { status } from "@grpc/grpc-js";
import type { EventStore } from "@rubrica/event-store";
import { CallFailure } from "../appending.ts";
import { clusterOf } from "../gossip.ts";
import type { Membership } from "../server.ts";
import { confirmedStore } from "./confirmed-store.ts";
import type { Member } from "./member.ts";

/** What a member of the cluster serves, whose clients' ports are these: a call for the leader is refused by the others. */
export const membershipOf = (member: Member, me: number, ports: readonly number[], store: EventStore): Membership => {
  const confirmed = confirmedStore(store, member);
  return {
    refusal(needsLeader) {
      if (!needsLeader || member.leads) return undefined;
      const { leader } = member;
      if (leader === undefined || leader === me)
        return new CallFailure(status.UNKNOWN, "No leader info available in response");
      return new CallFailure(status.NOT_FOUND, "Leader info available.", {
        exception: "not-leader",
        "leader-endpoint-host": "127.0.0.1",
        "leader-endpoint-port": String(ports[leader]),
      });
    },
    store: (needsLeader) => (needsLeader ? confirmed : store),
    gossip: () => clusterOf(ports, member.leader),
  };
};
