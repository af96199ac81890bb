const waiting: (() => void)[] = [];

const letOneGoOn = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
};

/**
 * Resolves in a later iteration of the event loop, so that others are served between two slices of long work. Of all who wait
 * one goes on in each iteration, in the order in which they came: slices of many requests don't add up to one long one. The
 * event loop is there once in a process, so this line is, too.
 */
export const yieldToOthers = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letOneGoOn);
  });

/**
 * Spreads work over iterations of the event loop: to be awaited before each slice, with how much work it is. What would be
 * more than `amountAtOnce` in one iteration goes on in the next; a slice that is larger by itself gets one of its own.
 */
export const pacer = (amountAtOnce: number): ((amount: number) => Promise<void>) => {
  let spent = 0;
  return async (amount) => {
    if (spent > 0 && spent + amount > amountAtOnce) {
      await yieldToOthers();
      spent = 0;
    }
    spent += amount;
  };
};
