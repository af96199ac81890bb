const waiting: (() => void)[] = [];

const letOneGoOn = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
};

/**
 * Resolves in a later turn of the event loop, so that others are served between two slices of long work. Of all who wait
 * one goes on in each turn, in the order in which they came: slices of many requests don't add up to one long turn. The
 * event loop is there once in a process, so this line is, too.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letOneGoOn);
  });
