/** It has nothing of the kind, or knows no way to forget: asking again is of no use. */
const NOTHING_TO_FORGET: readonly number[] = [404, 405, 410, 501];

/** Whether a service that was asked to forget something need not be asked again: it did, has nothing of it, or can't. */
export const needsNoMoreAsking = ({ status }: { status: number }): boolean =>
  (status >= 200 && status < 300) || NOTHING_TO_FORGET.includes(status);
