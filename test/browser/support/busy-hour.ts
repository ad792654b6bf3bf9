import type { Database } from "@carillon/db";
import {
  bot,
  channel,
  organization,
  scheduledMessage,
  type TestOrganization,
} from "@carillon/testkit";

/**
 * An installation after an hour with problems: failures, dead letters, calls of webhooks that were given up, a lost worker, a
 * day of history.
 */
export interface BusyHour {
  readonly org: TestOrganization;
  /** Adds one more message that could not be sent. */
  fail(): Promise<void>;
  /** Records a dead letter and returns its id. */
  giveUp(): Promise<number>;
}

const longReason =
  "Your account does not have permission to mention all the subscribers of this channel any more, because it has more than 15 of them.";

/** Inserts the rows of an hour with problems. */
export async function busyHour(db: Database): Promise<BusyHour> {
  const org = await organization(db);
  await db.rows("UPDATE realms SET name = 'Acme' WHERE id = $1", [org.realm.id]);
  await db.rows(
    "UPDATE users SET full_name = 'Ada Lovelace', delivery_email = 'ada.lovelace@example.org' WHERE id = $1",
    [org.member.id],
  );
  await db.rows(
    `UPDATE users SET full_name = 'Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine the Elder of Philadelphia',
       delivery_email = 'hubert.blaine.wolfeschlegelsteinhausenbergerdorff@philadelphia.example.org' WHERE id = $1`,
    [org.moderator.id],
  );
  const room = await channel(db, org.member, { name: "announcements" });
  const wordy = await channel(db, org.member, {
    name: "everything that the people of the second floor ought to know",
  });
  await db.rows(
    `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at, failed_at,
       reason, process)
     SELECT $1, 1000 + n, 1, 1, $2, $3, now() - n * interval '9 minutes', now() - n * interval '9 minutes' + interval '1 s',
       (ARRAY['This channel is archived.', 'You may not post in this channel.', 'The server was more than ten minutes late.'])[1 + n % 3],
       'worker-1:4711' FROM generate_series(1, 60) n`,
    [org.realm.id, org.member.id, room.id],
  );
  const names = [org.moderator.id, wordy.id];
  await db.rows(
    `UPDATE delivery_failures SET sender_id = $1, channel_id = $2, reason = $3 WHERE scheduled_message_id % 6 = 3`,
    [...names, longReason],
  );
  for (const [of, to] of [
    [org.member, room],
    [org.moderator, wordy],
  ] as const) {
    const { id } = await scheduledMessage(db, of, to, { row: { failed: true } });
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at, failed_at,
         reason, process, acknowledged_by)
       SELECT realm_id, id, version, kind, sender_id, channel_id, now() - interval '6 minutes', now() - interval '5 minutes', $2, 'worker-1:4711',
         CASE WHEN sender_id = $3 THEN 'olga' END
       FROM scheduled_messages WHERE id = $1`,
      [id, longReason, org.moderator.id],
    );
  }
  await db.rows(
    `INSERT INTO process_heartbeats (process_id, role, host, pid, started_at, last_seen, counters)
     SELECT gen_random_uuid(), role, 'app-' || n, 4700 + n, now() - interval '3 days', now() + ago, '{"sent": 9120}'
     FROM (VALUES ('gateway', interval '1 hour'), ('gateway', interval '1 hour'), ('worker', interval '1 hour'),
       ('worker', interval '-23 seconds')) AS p (role, ago), generate_series(1, 1) n`,
  );
  await db.rows(
    `INSERT INTO delivery_history (step, at, backend, sent, failed, worst, buckets)
     SELECT step, date_bin(make_interval(secs => step), now() - n * make_interval(secs => step), timestamptz 'epoch'), 'redis',
       (60 + 40 * sin(n / 20.0) + n % 7)::int, CASE WHEN n % 29 = 0 THEN 9 ELSE 0 END, 1 + n % 5,
       array_fill(0, ARRAY[2]) || ARRAY[30, 20, 9, 4, 3, 2, 1] || array_fill(0, ARRAY[12])
     FROM (VALUES (300, 287), (3600, 719)) AS s (step, count), generate_series(0, count) n`,
  );
  let made = 0;
  const giveUp = async () => {
    const [row] = await db.rows<{ id: number }>(
      `INSERT INTO job_intent (realm_id, job, unique_key, payload, state, attempts, last_error, finished_at)
       VALUES ($1, 'send-mail', 'send-mail/' || $2::int, '{}', 'dead', 8,
         'connect ECONNREFUSED 10.0.0.7:25' || chr(10) || '    at TCPConnectWrap.afterConnect (node:net:1555:16)',
         now() - interval '1 hour' + $2::int * interval '1 minute')
       RETURNING id`,
      [org.realm.id, ++made],
    );
    return row?.id ?? 0;
  };
  for (let i = 0; i < 20; i++) await giveUp();
  await failingWebhooks(db, org);
  const fail = async () => {
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, due_at, reason, process)
       VALUES ($1, 5000, 1, 1, $2, now(), 'A new failure.', 'worker-1:4711')`,
      [org.realm.id, org.member.id],
    );
  };
  return { org, fail, giveUp };
}

/** Inserts two outgoing webhook bots: one answers, the other does not, and three of its calls were given up. */
async function failingWebhooks(db: Database, { realm, owner }: TestOrganization): Promise<void> {
  const origin = "https://integrations.of-the-second-floor.philadelphia.example.org:8443";
  for (const [fullName, at, failing] of [
    ["Weather bot", "https://weather.example.org", false],
    ["Bot of the people of the second floor who answer whatever they are asked", origin, true],
  ] as const) {
    const { id } = await bot(db, owner, { botType: 3, fullName });
    await db.rows(
      `INSERT INTO bot_service (bot_id, realm_id, name, url, origin, interface, token_sealed, secret_sealed, failing)
       VALUES ($1, $2, 'service', $3 || '/hook', $3, 1, '', '', $4)`,
      [id, realm.id, at, failing],
    );
    await db.rows(
      `INSERT INTO outgoing_attempt (realm_id, bot_id, webhook_id, message_id, attempt, attempted_at, status, error,
         duration_ms, outcome, response_head)
       VALUES ($1, $2, 'call_1', 1, 1, now(), CASE WHEN $3 THEN NULL ELSE 200 END,
         CASE WHEN $3 THEN 'no complete answer within 10 s' END, 40, CASE WHEN $3 THEN 'failed' ELSE 'done' END, '')`,
      [realm.id, id, failing],
    );
    if (!failing) continue;
    await db.rows(
      `INSERT INTO outgoing_call (realm_id, bot_id, message_id, conversation, trigger, webhook_id, state, calls, attempts,
         reason, finished_at)
       SELECT $1, $2, 7000 + n, 'x', 'mention', 'call_' || repeat(n::text, 24), state, 6, 6,
         'no complete answer within 10 s', CASE state WHEN 'dead' THEN now() - n * interval '1 minute' END
       FROM unnest(ARRAY['dead', 'dead', 'dead', 'waiting']) WITH ORDINALITY AS t (state, n)`,
      [realm.id, id],
    );
    await db.rows(
      `INSERT INTO outgoing_origin (realm_id, origin, failures, open_until) VALUES ($1, $2, 5, now() + interval '1 hour')`,
      [realm.id, origin],
    );
  }
}
