/**
 * The first key that stands twice in one object of a JSON text, which readers take for the first or the last of both;
 * undefined where there is none.
 * @param json a text that was read as JSON already
 */
export const doubledKey = (json: string): string | undefined => {
  /** Of each object that is open, its keys; of each array, null. */
  const open: (Set<string> | null)[] = [];
  let text = "";
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') {
      const end = endOfString(json, at);
      text = json.slice(at, end + 1);
      at = end;
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? new Set() : null);
    } else if (character === "}" || character === "]") {
      open.pop();
    } else if (character === ":") {
      const key = JSON.parse(text) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
};

const endOfString = (json: string, start: number): number => {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
};
