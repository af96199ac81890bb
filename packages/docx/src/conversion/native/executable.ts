import { accessSync, constants } from "node:fs";

/** Whether a path is a program that can be run. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
