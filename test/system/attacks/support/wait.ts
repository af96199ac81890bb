import type { Watched } from "@rubrica/test-kit";

/** Answers that took work: what is sent away at the door is no part of a backlog. */
const isWorked = ({ status }: Watched): boolean => status === 200 || status === 400;

/** How one request fared among others, in the order in which the service saw all of them. */
export interface Wait {
  /** Of the others, how many had begun and not ended when it began. */
  waiting: number;
  /** Of the others, how many were worked on and answered before it was. */
  overtook: number;
}

/**
 * The wait of the request of that name among those of another; of several, from where the first one began to where the
 * last one ended. @throws {Error} when the service did not see that.
 */
export const waitOf = (watched: readonly Watched[], name: string, others: string): Wait => {
  const begun = watched.findIndex((each) => each.name === name && each.what === "begun");
  const ended = watched.findLastIndex((each) => each.name === name && each.what === "ended");
  if (begun === -1 || ended === -1) throw new Error(`the service saw no whole request of the name ${name}`);
  const of = (what: Watched["what"], within: readonly Watched[]) =>
    within.filter((each) => each.name === others && each.what === what);
  const before = watched.slice(0, begun);
  return {
    waiting: of("begun", before).length - of("ended", before).length,
    overtook: of("ended", watched.slice(begun, ended)).filter(isWorked).length,
  };
};
