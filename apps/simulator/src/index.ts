export { openSimulator, type SimulatorParts } from "./app.ts";
