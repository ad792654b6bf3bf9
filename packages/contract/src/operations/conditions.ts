import * as z from "zod";
import { form } from "../primitives/form.ts";
import { maxId } from "../primitives/ids.ts";

/** Maximum number of conditions of one message. */
const maxConditions = 5;
/** Maximum number of accounts in one condition. */
const maxAccounts = 50;

/** Bounds of the `interval` of a `check_in` condition, in seconds: a minute and 30 days. */
const shortestInterval = 60;
const longestInterval = 2_592_000;

const by = z.array(z.int().min(1).max(maxId)).min(1).max(maxAccounts).optional();

/** A condition under which a scheduled message is not sent (once-and-again.md §4). */
export const condition = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("reply"), by }),
  z.strictObject({ kind: z.literal("topic_resolved") }),
  z.strictObject({
    kind: z.literal("check_in"),
    by,
    interval: z.int().min(shortestInterval).max(longestInterval).optional(),
  }),
]);

export type Condition = z.output<typeof condition>;

/** The parameter `unless`: the message is not sent if one of the conditions holds. */
export const unlessParameter = form
  .json(z.array(condition).max(maxConditions))
  .optional()
  .describe(
    "Conditions, at most 5: the message is not sent if one of them holds. `reply`: a person other than the sender, or with " +
      "`by` (user IDs) one of these accounts, has written in the conversation since the message was scheduled. " +
      "`topic_resolved`: the topic is resolved. `check_in`: the sender, or an account in `by`, has checked in. A `check_in` " +
      "with `interval` never holds: each check-in moves the delivery to `interval` seconds later.",
  );
