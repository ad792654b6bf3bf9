import type { Operation } from "@carillon/contract";
import { type ApiResponse, type GatewayClient, replayed } from "@carillon/testkit";

/** How a request with an `Idempotency-Key` is repeated. */
export interface Repeat {
  readonly key: string;
  readonly by: GatewayClient;
  /** Whether both are sent at once. */
  readonly atOnce: boolean;
}

/**
 * Sends a request twice with one key. Where both are carried out, one of them must be the stored answer of the other
 * (once-and-again.md §1).
 * @returns the answer of the one that was carried out, else of the first
 * @throws Error where the second is no repeat of the first
 */
export async function askTwice<Op extends Operation>(
  operation: Op,
  first: GatewayClient,
  repeat: Repeat,
  options: object,
): Promise<ApiResponse<Op>> {
  const headers = { "Idempotency-Key": repeat.key };
  const ask = (client: GatewayClient) => client.call(operation, { ...options, headers });
  const asked = ask(first);
  if (!repeat.atOnce) await asked;
  const [one, other] = await Promise.all([asked, ask(repeat.by)]);
  if (!isRepeated(one, other, repeat.atOnce))
    throw new Error(
      `${operation.id} with one key was answered ${textOf(one)} and then ${textOf(other)}`,
    );
  return one.status === 200 || other.status !== 200 ? one : other;
}

type AnyAnswer = Pick<ApiResponse<Operation>, "status" | "body" | "headers">;

/** Whether one of two answers to the same request is the stored one, or not both were carried out. */
function isRepeated(one: AnyAnswer, other: AnyAnswer, atOnce: boolean): boolean {
  if (one.status === 200 && other.status === 200)
    return (
      JSON.stringify(one.body) === JSON.stringify(other.body) && replayed(one) !== replayed(other)
    );
  // The account may have been deactivated between the two.
  return atOnce || one.status !== 200 || other.status === 401;
}

function textOf({ status, body, headers }: AnyAnswer): string {
  return `${status} (replayed: ${replayed({ headers })}) ${JSON.stringify(body)}`;
}
