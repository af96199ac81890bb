/** What two sequences hold at one place of their common order: in both, or in one of them. */
export type Pair<Item> = { left: Item; right: Item | undefined } | { left: undefined; right: Item };

/** Goes through two sequences of ascending items at once, holding one item of each. */
export const sideBySide = async function* <Item>(
  left: AsyncIterable<Item>,
  right: AsyncIterable<Item>,
  compare: (left: Item, right: Item) => number,
): AsyncGenerator<Pair<Item>, void, undefined> {
  await using lefts = new Reading(left);
  await using rights = new Reading(right);
  await Promise.all([lefts.next(), rights.next()]);
  for (;;) {
    const [one, other] = [lefts.item, rights.item];
    if (one === undefined && other === undefined) return;
    const order = one === undefined ? 1 : other === undefined ? -1 : compare(one, other);
    if (one !== undefined && order <= 0) yield { left: one, right: order === 0 ? other : undefined };
    else if (other !== undefined) yield { left: undefined, right: other };
    if (order <= 0) await lefts.next();
    if (order >= 0) await rights.next();
  }
};

/** A sequence and the item that it stands at; undefined after the last. */
class Reading<Item> implements AsyncDisposable {
  item: Item | undefined;
  readonly #items: AsyncIterator<Item>;

  constructor(items: AsyncIterable<Item>) {
    this.#items = items[Symbol.asyncIterator]();
  }

  async next(): Promise<void> {
    const next = await this.#items.next();
    this.item = next.done ? undefined : next.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#items.return?.();
  }
}
