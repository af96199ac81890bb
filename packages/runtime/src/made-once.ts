/** What is made of a text, made once and kept: at most so many, since texts may come from anybody. */
export const madeOnce = <Made>(most: number, make: (text: string) => Made): ((text: string) => Made) => {
  const made = new Map<string, Made>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const fresh = make(text);
    if (made.size >= most) made.clear();
    made.set(text, fresh);
    return fresh;
  };
};
