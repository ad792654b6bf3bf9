import type { Handover, Outcome, Provider } from "@carillon/bouncer";

/** A push provider that records notifications. */
export interface TestProvider extends Provider {
  /** The recorded notifications; always the same array, so that tests can empty it. */
  readonly handovers: Handover[];
  /** Result of the next notifications; default `sent`. Called after the notification is recorded. */
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
