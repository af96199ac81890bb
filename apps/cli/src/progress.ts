import type { Position } from "@rubrica/event-store";
import type { RebuildProgress } from "@rubrica/projector/running";
import type { Clock } from "@rubrica/runtime";

/** How often a long work says how far it has come. */
const INTERVAL_MS = 2_000;

const seconds = (ms: number): string => {
  const whole = Math.max(0, Math.ceil(ms / 1_000));
  return whole < 120 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
};

/**
 * Says every two seconds how many events are done, of about how many, how fast, and how long the rest takes. How many
 * there are is guessed by the place of the last one: positions grow about evenly with the events.
 */
export const progressTeller = ({
  clock,
  last,
  print,
}: {
  clock: Clock;
  last: Position;
  print: (line: string) => void;
}): ((progress: RebuildProgress) => void) => {
  const startedMs = clock.monotonicMs();
  let nextMs = startedMs + INTERVAL_MS;
  return ({ events, position }) => {
    const nowMs = clock.monotonicMs();
    if (nowMs < nextMs || events === 0) return;
    nextMs = nowMs + INTERVAL_MS;
    const total = Math.max(events, Math.round((events * Number(last.commit)) / Number(position.commit)));
    const perMs = events / (nowMs - startedMs);
    const rate = Math.round(perMs * 1_000).toLocaleString("en");
    const [done, all] = [events, total].map((count) => count.toLocaleString("en"));
    print(`${done} of about ${all} events, ${rate} a second, about ${seconds((total - events) / perMs)} left.`);
  };
};

/**
 * Says every two seconds how much of the step at hand is done, of how much, how fast, and how long the rest takes.
 * @param wordsOf how a step is called.
 */
export const stepTeller = <Step>({
  clock,
  print,
  wordsOf,
}: {
  clock: Clock;
  print: (line: string) => void;
  wordsOf: (step: Step) => string;
}): ((step: Step, done: number, all: number) => void) => {
  let current: Step | undefined;
  let startedMs = 0;
  let nextMs = 0;
  return (step, done, all) => {
    const nowMs = clock.monotonicMs();
    if (step !== current) {
      current = step;
      startedMs = nowMs;
      nextMs = nowMs + INTERVAL_MS;
    }
    if (nowMs < nextMs) return;
    nextMs = nowMs + INTERVAL_MS;
    const perMs = done / (nowMs - startedMs);
    const [count, total, rate] = [done, Math.max(done, all), Math.round(perMs * 1_000)].map((figure) =>
      figure.toLocaleString("en"),
    );
    print(`${wordsOf(step)}: ${count} of ${total}, ${rate} a second, about ${seconds((all - done) / perMs)} left.`);
  };
};
