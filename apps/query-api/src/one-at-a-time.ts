/** Runs work, for each caller one piece after the other: whoever asks for much at once waits for nobody but themselves. */
export const oneAtATime = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(caller: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(caller);
    const own = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(caller, own);
    try {
      return await own;
    } finally {
      if (last.get(caller) === own) last.delete(caller);
    }
  };
};
