import type { Handover, Outcome, Provider } from "@carillon/bouncer";

/** A provider of notifications that keeps what it is given. */
export interface TestProvider extends Provider {
  /** What was handed over so far; the same list at each look, so that it can be emptied. */
  readonly handovers: Handover[];
  /** What comes of the next ones; `sent` unless given. The hand-over is kept before it is asked. */
  answer: (handover: Handover) => Outcome | Promise<Outcome>;
}

/** A provider that takes everything, until a test says otherwise. */
export function testProvider(name: string): TestProvider {
  const handovers: Handover[] = [];
  const provider: TestProvider = {
    name,
    handovers,
    answer: () => ({ kind: "sent" }),
    async handOver(handover) {
      handovers.push(handover);
      return provider.answer(handover);
    },
    close: () => Promise.resolve(),
  };
  return provider;
}
