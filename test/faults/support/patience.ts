import { waitFor } from "@carillon/testkit";

/** How long recovery may take, in milliseconds: the sweep takes up to 35 s, and the machine may be busy. */
export const waitTimeoutMs = 120_000;

/** Time limit of a scenario with several such waits. */
export const scenarioMs = 400_000;

/** Repeats work until it succeeds, for example while PostgreSQL starts. */
export async function untilItSucceeds(what: string, work: () => Promise<unknown>): Promise<void> {
  const succeeds = () =>
    work().then(
      () => true,
      () => undefined,
    );
  await waitFor(succeeds, { what, timeoutMs: waitTimeoutMs });
}
