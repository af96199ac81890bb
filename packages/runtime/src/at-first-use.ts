/** What takes long to make and is not always needed: made when it is first asked for, and kept. */
export const atFirstUse = <Made>(make: () => Made): (() => Made) => {
  let made: { value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};
