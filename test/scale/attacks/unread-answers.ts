import { crowd, pastMessages, scheduledMessage } from "@carillon/testkit";
import type { Attack, Scene } from "./attack.ts";
import { flood } from "./connections.ts";

/**
 * HTML of an emoji. Messages that were rendered before the limit on HTML (rendering.md §1) may contain it 10,000 times.
 */
const emoji =
  '<span aria-label="grinning" class="emoji emoji-1f600" role="img" title="grinning">:grinning:</span>';

/** Fills the room with 100 messages of 10,000 emoji, stored with 1 MB of HTML each. */
async function fillRoom({ db, room, attacker }: Scene): Promise<void> {
  const ids = await pastMessages(db, room, attacker, { count: 100 });
  await db.rows(
    `UPDATE messages SET content = repeat('😀', 10000), rendered_content = '<p>' || repeat($2, 10000) || '</p>'
     WHERE id = ANY($1)`,
    [ids, emoji],
  );
}

const history = "/messages?anchor=newest&num_before=5000&num_after=0&narrow=%5B%5D";

/** Attacks with answers that the attacker does not read. */
export const unreadAnswers: readonly Attack[] = [
  {
    name: "75 unread pages of messages with 100 MB of HTML",
    prepare: fillRoom,
    run: ({ url, attacker }, signal) =>
      flood(url, { open: 75, request: () => ({ path: history, account: attacker }) }, signal),
  },
  {
    name: "four members who read pages of messages with 100 MB of HTML",
    prepare: fillRoom,
    run: async ({ url, members, org }, signal) => {
      const readers = [org.owner, ...members];
      await flood(
        url,
        {
          open: readers.length,
          read: true,
          request: (n) => {
            const account = readers[n % readers.length];
            return { path: history, ...(account && { account }) };
          },
        },
        signal,
      );
    },
  },
  {
    name: "75 unread registrations, and 30 unread lists of people, in an organization of 5,000",
    prepare: async ({ db, org }) => {
      await crowd(db, org.member, 5_000);
    },
    run: ({ url, attacker }, signal) =>
      flood(
        url,
        {
          open: 105,
          request: (n) =>
            n % 7 < 5
              ? { method: "POST", path: "/register", account: attacker }
              : { path: "/users", account: attacker },
        },
        signal,
      ),
  },
  {
    name: "75 unread lists of 2,000 scheduled messages of 100 KB of HTML",
    prepare: async ({ db, attacker, room }) => {
      const { id } = await scheduledMessage(db, attacker, room, { dueIn: 86_400 });
      await db.rows(
        `INSERT INTO scheduled_messages OVERRIDING SYSTEM VALUE
         SELECT (jsonb_populate_record(s, jsonb_build_object(
           'id', nextval(pg_get_serial_sequence('scheduled_messages', 'id')),
           'rendered_content', repeat('x', 100000)))).*
         FROM scheduled_messages s, generate_series(1, 2000) AS n WHERE s.id = $1`,
        [id],
      );
    },
    run: ({ url, attacker }, signal) =>
      flood(
        url,
        { open: 75, request: () => ({ path: "/scheduled_messages", account: attacker }) },
        signal,
      ),
  },
  {
    name: "110 unread lists of 1,000 drafts of 10,000 characters",
    prepare: async ({ db, attacker }) => {
      await db.rows(
        `INSERT INTO drafts (user_id, kind, "to", topic, content, last_edit_time)
         SELECT $1, '', '{}', '', repeat('é', 10000), now() FROM generate_series(1, 1000)`,
        [attacker.id],
      );
    },
    run: ({ url, attacker }, signal) =>
      flood(url, { open: 110, request: () => ({ path: "/drafts", account: attacker }) }, signal),
  },
  {
    name: "75 unread registrations of 1,000 drafts of 10,000 characters",
    prepare: async ({ db, attacker }) => {
      await db.rows(
        `INSERT INTO drafts (user_id, kind, "to", topic, content, last_edit_time)
         SELECT $1, '', '{}', '', repeat('é', 10000), now() FROM generate_series(1, 1000)`,
        [attacker.id],
      );
    },
    run: ({ url, attacker }, signal) =>
      flood(
        url,
        { open: 75, request: () => ({ method: "POST", path: "/register", account: attacker }) },
        signal,
      ),
  },
];
