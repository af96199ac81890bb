import { checkedForStoring, type DomainEvent } from "@rubrica/events";
import { expect } from "vitest";
import { type Decide, DomainError, type DomainErrorCode, type Fold, foldOf } from "./decider.ts";

/** What came of a command. */
export interface Expectations<Event> {
  /** Exactly these events, in this order; none means that nothing happens. */
  then(...events: Event[]): void;
  /** Events of exactly these types, in this order. */
  thenTypes(...types: string[]): void;
  /** The command is refused. */
  fails(code: DomainErrorCode): void;
}

export interface Given<State, Event> {
  when<Command>(decide: Decide<State, Command, Event>, command: Command): Expectations<Event>;
}

/**
 * A spec of a decider: given what happened, when a command comes, then these events come of it. The events are checked
 * against the catalogue's schemas too.
 */
export const given = <State, Event extends DomainEvent>(
  fold: Fold<State, Event>,
  ...history: Event[]
): Given<State, Event> => ({
  when: (decide, command) => {
    const decided = () => {
      const events = decide(foldOf(fold, history), command);
      for (const event of events) checkedForStoring(event);
      return events;
    };
    return {
      // biome-ignore lint/suspicious/noThenProperty: given, when, then; nobody awaits a spec
      then: (...events) => expect(decided()).toEqual(events),
      thenTypes: (...types) => expect(decided().map(({ type }) => type)).toEqual(types),
      fails: (code) => {
        let refusal: unknown;
        try {
          decided();
        } catch (error) {
          refusal = error;
        }
        expect(refusal).toBeInstanceOf(DomainError);
        expect(refusal).toMatchObject({ code });
      },
    };
  },
});
