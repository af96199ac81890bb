export * from "./port.ts";
export { type MessageJson, simulatorRoutes } from "./simulator/routes.ts";
export { type MessagingSimulator, openMessagingSimulator } from "./simulator/simulator.ts";
export * from "./texts.ts";
