// Pools of processes for what reads or draws others' bytes: bounded in time and memory, fair between accounts.
// It must not know what a task does.

export { createHelperBudget, type HelperBudget, type TaskEnd, type Watched } from "./budget.ts";
export { BoundExceeded, HelpersBusy, PoolClosed, TaskFailed } from "./errors.ts";
export { createFairLimiter, type FairLimiter, type FairLimiterOptions } from "./fair-limiter.ts";
export type { QueueLimits } from "./fair-queue.ts";
export type { TaskLimits } from "./helper.ts";
export { LauncherError, type OtherUser, openOtherUser } from "./other-user.ts";
export { createHelperPool, type HelperPool, type HelperPoolOptions } from "./pool.ts";
export { ownMemoryMb } from "./usage.ts";
