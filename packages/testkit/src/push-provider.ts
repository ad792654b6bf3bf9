import type { Handover, Outcome, Provider } from "@carillon/bouncer";

/** A push provider that records notifications. */
export interface TestProvider extends Provider {
  /** The handovers so far; always the same list, so that it can be emptied. */
  readonly handovers: Handover[];
  /** Outcome of the next handovers; default `sent`. Called after the handover is recorded. */
  answer: (handover: Handover) => Outcome | Promise<Outcome>;
}

/** Creates a provider that accepts everything by default. */
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
