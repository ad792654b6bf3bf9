import type { Database } from "@carillon/db";
import { say } from "../report.ts";
import { withoutIndexes } from "./indexes.ts";
import { busyChannels, fillMessages } from "./messages.ts";
import {
  createOrganizationWithoutMessages,
  type HistoryChannel,
  type HistoryOrganization,
} from "./organization.ts";

/** An organization with years of messages. */
export interface History extends HistoryOrganization {
  /** The channels of small teams that get half of all channel messages. */
  readonly busy: readonly HistoryChannel[];
}

/** Size of a history. The same numbers make the same history, except for API keys and times. */
export interface HistorySize {
  readonly messages: number;
  readonly users?: number;
  readonly channels?: number;
  readonly seed?: number;
}

/**
 * Fills an empty database with an organization's history. 80 % of the messages are in channels, half of those in twenty
 * teams of six to eight members; 20 % are direct. A message has about seven copies, 21.7 million for 3 million
 * messages. Real organizations have 50 and more. More copies only enlarge one index, and its depth grows
 * logarithmically. 8 % of the messages in channels mention an account, 4 % were edited, 10 % have one to three
 * reactions, the newest thirtieth is unread, and some copies are starred or have an alert word.
 */
export async function createHistory(
  db: Database,
  { messages, users = 2_000, channels = 500, seed = 1 }: HistorySize,
): Promise<History> {
  const startedAt = performance.now();
  const organization = await createOrganizationWithoutMessages(db, { users, channels });
  await withoutIndexes(db, ["messages", "user_messages", "reactions"], () =>
    fillMessages(db, organization, { messages, seed }),
  );
  await db.rows(
    `UPDATE channels c SET first_message_id = (
       SELECT m.id FROM messages m JOIN recipients r ON r.id = m.recipient_id
       WHERE r.channel_id = c.id ORDER BY m.id LIMIT 1)`,
  );
  await db.rows("VACUUM ANALYZE");
  const [made] = await db.rows<{ copies: number; bytes: number }>(
    `SELECT reltuples::float8 AS copies, pg_database_size(current_database())::float8 AS bytes
     FROM pg_class WHERE oid = 'user_messages'::regclass`,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  say(
    `${messages} messages with ${(made!.copies / 1e6).toFixed(1)} million copies, ${(made!.bytes / 1e9).toFixed(2)} GB, took ${seconds.toFixed(0)} s`,
  );
  return {
    ...organization,
    busy: organization.channels.slice(busyChannels.first - 1, busyChannels.last),
  };
}
