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

/**
 * Spreads work over turns of the event loop: to be awaited before each slice, with how much work it is. What would be
 * more than `amountOfTurn` in one turn goes on in the next; a slice that is larger by itself gets one of its own.
 */
export const pacer = (amountOfTurn: number): ((amount: number) => Promise<void>) => {
  let spent = 0;
  return async (amount) => {
    if (spent > 0 && spent + amount > amountOfTurn) {
      await nextTurn();
      spent = 0;
    }
    spent += amount;
  };
};
