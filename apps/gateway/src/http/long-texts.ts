import type { Operation } from "@carillon/contract";
import { Shares, type Lifetime } from "@carillon/db";

/** Characters from which on rendering a text takes milliseconds, in which the gateway does nothing else. */
const long = 1_000;

const turns = new Shares<number>(1);

/**
 * Runs a request that renders a long text once no other of the account does: ten at a time would make one long wait for
 * everybody else, while requests of others come in between where one follows another.
 * @param input the decoded parameters
 * @throws the lifetime's reason when that ends first
 */
export async function renderInTurn<Result>(
  {
    operation,
    input,
  }: { readonly operation: Operation; readonly input: Readonly<Record<string, unknown>> },
  accountId: number,
  lifetime: Lifetime,
  run: () => Promise<Result>,
): Promise<Result> {
  const text = operation.renders === undefined ? undefined : input[operation.renders];
  if (typeof text !== "string" || text.length <= long) return run();
  const turn = turns.of(accountId);
  await turn.enter(lifetime);
  try {
    return await run();
  } finally {
    turn.leave();
  }
}
