import type { Database } from "@carillon/db";
import { clientIdOf } from "@carillon/model";
import { deliveryJob, type PendingDelivery } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import {
  channel,
  directRecipient,
  organization,
  pastMessages,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";

/** An organization with several accounts that write into several conversations. */
export interface Crowd {
  readonly org: TestOrganization;
  readonly realmId: number;
  readonly senders: readonly TestAccount[];
  readonly channels: readonly TestChannel[];
  /** Rows of `recipients` for each sender's conversation with itself. */
  readonly selves: ReadonlyArray<{ readonly account: TestAccount; readonly recipientId: number }>;
  /** The id of a message that all senders can see. */
  readonly remarkable: number;
  /** Rows of `recipients` for direct conversations between two senders. */
  readonly directs: ReadonlyArray<{ readonly sender: TestAccount; readonly recipientId: number }>;
}

const crowdSize = 6;

export async function crowd(db: Database): Promise<Crowd> {
  const org = await organization(db);
  const senders: TestAccount[] = [];
  for (let i = 0; i < crowdSize; i++) senders.push(await user(db, org.realm));
  const channels: TestChannel[] = [];
  // The first channel has all senders, the next all but one, and so on.
  for (let i = 0; i < 4; i++) {
    channels.push(await channel(db, org.owner, { subscribers: senders.slice(0, crowdSize - i) }));
  }
  const selves = [];
  for (const account of senders)
    selves.push({ account, recipientId: await directRecipient(db, org.realm.id, [account]) });
  const [remarkable] = await pastMessages(db, pick(channels, 0), org.owner);
  if (remarkable === undefined) throw new Error("nothing was said");
  // A batch that changes a channel's first message or activity is not prepared ahead of the previous one.
  await db.rows(
    `UPDATE channels SET first_message_id = coalesce(first_message_id, $2), is_recently_active = true WHERE realm_id = $1`,
    [org.realm.id, remarkable],
  );
  const directs = [];
  for (const [i, sender] of senders.slice(1).entries()) {
    const other = senders[i] ?? sender;
    directs.push({ sender, recipientId: await directRecipient(db, org.realm.id, [sender, other]) });
  }
  return { org, realmId: org.realm.id, senders, channels, directs, selves, remarkable };
}

export interface Load {
  /** Number of rows. */
  readonly count: number;
  /** Seconds from the database's current second to the first due time. */
  readonly dueIn: number;
  /** Over how many seconds the due times are spread evenly. */
  readonly seconds: number;
  /** Writes messages instead of reminders, because they can be edited. */
  readonly noReminders?: boolean;
}

/**
 * Writes pending rows as if requests had written them an hour ago: of four rows, two go to channels, one to a user,
 * and one is a reminder of a message. They are stamped from the start, or the relay of a running worker would add
 * their delivery jobs.
 * @returns their delivery jobs, which are not in the queue
 */
export async function schedule(db: Database, from: Crowd, load: Load): Promise<PendingDelivery[]> {
  const rows = Array.from({ length: load.count }, (_, i) => {
    if (i % 4 === 2 && !load.noReminders) {
      const { account, recipientId } = pick(from.selves, i);
      return {
        sender: account.id,
        recipientId,
        channelId: null,
        topic: "",
        about: from.remarkable,
      };
    }
    if (i % 4 === 3) {
      const { sender, recipientId } = pick(from.directs, i);
      return { sender: sender.id, recipientId, channelId: null, topic: "", about: null };
    }
    const target = pick(from.channels, i);
    return {
      sender: pick(from.senders, i).id,
      recipientId: target.recipientId,
      channelId: target.id,
      topic: `topic ${i % 3}`,
      about: null,
    };
  });
  return db.rows<PendingDelivery>(
    `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
       rendered_content, client_id, deliver_at, created_at, alarmed_at, read_by_sender, kind, reminder_target_message_id,
       reminder_note)
     SELECT $1, sender, recipient, channel, topic, 'number ' || n, '<p>number ' || n || '</p>', $2,
       date_trunc('second', now()) + make_interval(secs => $3 + (n - 1) % $4::int),
       now() - interval '1 hour', now(), false, CASE WHEN about IS NULL THEN 1 ELSE 2 END, about, 'number ' || n
     FROM unnest($5::int[], $6::int[], $7::int[], $8::text[], $9::bigint[]) WITH ORDINALITY
       AS t (sender, recipient, channel, topic, about, n)
     RETURNING id AS "scheduledMessageId", realm_id AS "realmId", version,
       extract(epoch FROM deliver_at)::float8 AS "deliverAt"`,
    [
      from.realmId,
      await clientIdOf(db, "test"),
      load.dueIn,
      load.seconds,
      rows.map(({ sender }) => sender),
      rows.map(({ recipientId }) => recipientId),
      rows.map(({ channelId }) => channelId),
      rows.map(({ topic }) => topic),
      rows.map(({ about }) => about),
    ],
  );
}

/** Moves the due times of pending rows into the past; existing delivery jobs run no earlier. */
export async function makeOverdue(
  db: Database,
  { realmId }: Crowd,
  seconds: number,
): Promise<void> {
  await db.rows(
    `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - make_interval(secs => $2)
     WHERE realm_id = $1 AND NOT delivered AND NOT failed`,
    [realmId, seconds],
  );
}

function pick<T>(list: readonly T[], i: number): T {
  const found = list[i % list.length];
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
}

/** Adds the delivery jobs of stamped rows to the queue. */
export async function addDeliveryJobs(
  queues: Pick<Queues, "publish">,
  deliveries: readonly PendingDelivery[],
): Promise<void> {
  const now = Date.now();
  await queues.publish(deliveries.map((delivery) => deliveryJob(delivery, now)));
}
