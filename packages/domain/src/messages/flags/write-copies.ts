import { flag } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";

/** Bits of `user_messages.flags` that are set and cleared. */
export interface Bits {
  readonly set: number;
  readonly clear: number;
}

const row = {
  id: column.bigint,
  /** As they are by now. */
  flags: column.int,
};

/** A copy that was changed, or made. */
export interface WrittenCopy {
  readonly id: number;
  readonly flags: number;
}

/** A copy that was changed. */
export interface RewrittenCopy extends WrittenCopy {
  /** Whether it was on the account's devices before. */
  readonly pushed: boolean;
}

/** In the order of ids, so that two requests of an account never wait for each other in a circle. */
const rewrite = statement({
  name: "flags-of-copies",
  text: `WITH held AS MATERIALIZED (
      SELECT message_id, flags & ${flag.activeMobilePush} <> 0 AS pushed FROM user_messages
      WHERE user_id = $1 AND message_id = ANY(ARRAY(SELECT unnest($2::bigint[]))) AND flags <> (flags & ~$4::int | $3::int)
      ORDER BY message_id FOR NO KEY UPDATE
    ), written AS (
      UPDATE user_messages um SET flags = um.flags & ~$4::int | $3::int FROM held
      WHERE um.user_id = $1 AND um.message_id = held.message_id AND um.flags <> (um.flags & ~$4::int | $3::int)
      RETURNING um.message_id AS id, um.flags, held.pushed
    ) SELECT id, flags, pushed FROM written ORDER BY id`,
  row: { ...row, pushed: column.bool },
});

/**
 * Changes the copies that the account has of the messages.
 * @param ids ascending
 * @returns those that were different before, ascending
 */
export function rewriteCopies(
  tx: Tx,
  userId: number,
  ids: readonly number[],
  { set, clear }: Bits,
): Promise<RewrittenCopy[]> {
  return tx.lock({ name: "copies", keys: ids }, rewrite, [userId, ids, set, clear]);
}

const write = statement({
  name: "flags-of-copies-and-new-ones",
  text: `WITH written AS (
      INSERT INTO user_messages AS um (user_id, message_id, flags)
      SELECT $1, id, $5 FROM unnest($2::bigint[]) AS id ORDER BY id
      ON CONFLICT (user_id, message_id) DO UPDATE SET flags = um.flags & ~$4::int | $3::int
        WHERE um.flags <> (um.flags & ~$4::int | $3::int)
      RETURNING um.message_id AS id, um.flags
    ) SELECT id, flags FROM written ORDER BY id`,
  row,
});

/**
 * The same, and makes a copy with the flags `fresh` where the account has none.
 * @param ids ascending, of messages that are held
 */
export function writeCopies(
  tx: Tx,
  userId: number,
  ids: readonly number[],
  { set, clear }: Bits,
  fresh: number,
): Promise<WrittenCopy[]> {
  return tx.rows(write, [userId, ids, set, clear, fresh]);
}
