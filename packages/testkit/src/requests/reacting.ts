import { addReaction } from "@carillon/contract";

import type { TestAccount } from "../factories/account.ts";
import type { Gateway } from "../gateway.ts";

/** Adds reactions to a message; expects success. */
export async function react(
  gateway: Gateway,
  by: TestAccount,
  message_id: number,
  ...names: string[]
): Promise<void> {
  for (const emoji_name of names)
    await gateway.as(by).succeed(addReaction, { path: { message_id }, params: { emoji_name } });
}
