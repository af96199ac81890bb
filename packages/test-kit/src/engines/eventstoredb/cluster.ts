import gossip from "@eventstore/db-client/generated/gossip_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import { StreamsService } from "@eventstore/db-client/generated/streams_grpc_pb.js";

/** The version that the double is measured against. */
const VERSION = "23.10.6";

/** What the server can do, by which the client chooses between the two ways of appending. */
export const supportedMethods = () => {
  const supported = new features.SupportedMethods();
  supported.setEventStoreServerVersion(VERSION);
  for (const { path } of [StreamsService.read, StreamsService.append, StreamsService.batchAppend]) {
    const [, service = "", name = ""] = path.split("/");
    const method = new features.SupportedMethod();
    method.setServiceName(service.toLowerCase());
    method.setMethodName(name.toLowerCase());
    supported.addMethods(method);
  }
  return supported;
};

/** A cluster of one: the leader, on that port of the loopback. */
export const clusterOfOne = (port: number) => {
  const id = new shared.UUID();
  id.setString("00000000-0000-4000-8000-000000000001");
  const endPoint = new gossip.EndPoint();
  endPoint.setAddress("127.0.0.1");
  endPoint.setPort(port);
  const member = new gossip.MemberInfo();
  member.setInstanceId(id);
  member.setState(gossip.MemberInfo.VNodeState.LEADER);
  member.setIsAlive(true);
  member.setHttpEndPoint(endPoint);
  const cluster = new gossip.ClusterInfo();
  cluster.addMembers(member);
  return cluster;
};
