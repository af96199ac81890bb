/** What a migration does one after the other. */
export type Step = "copy keys" | "copy files" | "copy events" | "check keys" | "check files" | "check events";

/** Is told how much of a step is done, and of how much, after each piece of it. Of events the whole is a guess. */
export type Tell = (step: Step, done: number, all: number) => void;
