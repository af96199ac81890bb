import gossip, { type ClusterInfo } from "@eventstore/db-client/generated/gossip_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";

/** What a member says of itself and the others: their ports on the loopback, and who leads, when one does. */
export const clusterOf = (ports: readonly number[], leader: number | undefined): ClusterInfo => {
  const { LEADER, FOLLOWER, UNKNOWN } = gossip.MemberInfo.VNodeState;
  const cluster = new gossip.ClusterInfo();
  for (const [index, port] of ports.entries()) {
    const id = new shared.UUID();
    id.setString(`00000000-0000-4000-8000-00000000000${index + 1}`);
    const endPoint = new gossip.EndPoint();
    endPoint.setAddress("127.0.0.1");
    endPoint.setPort(port);
    const member = new gossip.MemberInfo();
    member.setInstanceId(id);
    member.setState(leader === undefined ? UNKNOWN : leader === index ? LEADER : FOLLOWER);
    member.setIsAlive(true);
    member.setHttpEndPoint(endPoint);
    cluster.addMembers(member);
  }
  return cluster;
};
