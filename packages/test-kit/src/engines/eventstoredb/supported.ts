import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
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
