import { obligationKinds } from "@rubrica/domain";
import { systemClock } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { allSubscribers, type SubscriberDependencies } from "../src/subscribers.ts";

test("each kind of obligation has one subscriber", () => {
  // What there is of them is not used before an obligation is met.
  const given = { signal: new AbortController().signal, keys: {}, converter: {}, runtime: { clock: systemClock } };
  const kinds = allSubscribers(given as unknown as SubscriberDependencies).map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(obligationKinds.toSorted());
});
