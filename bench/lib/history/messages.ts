import { directTopic, flag, resolvedPrefix } from "@carillon/model";
import type { Database } from "@carillon/db";
import { chatLine } from "../chat-lines.ts";
import { say } from "../report.ts";
import { draw, oneOf } from "./draw.ts";
import type { HistoryOrganization } from "./organization.ts";

/** Number of different chat lines, and of different words. Each message has a line and a word. */
const lines = 500;
const cases = 100_000;

/** Messages that one statement inserts. */
const batch = 100_000;

/** First and last number of the channels that get half of all channel messages: teams that talk all day. */
export const busyChannels = { first: 41, last: 60 };

/**
 * One in this many messages is unread: the newest ones, for all accounts but their senders. Of 3 million messages, the
 * first member has 50,000 unread ones.
 */
export const unreadOneIn = 30;

/** Days over which the messages are spread evenly; the last day is today. */
const days = 1_000;

const topics = ["billing", "import", "release", "office move", "hiring", "on call", "customers"];

/** Emoji of the reactions, with their codes. */
const emoji = { "+1": "1f44d", tada: "1f389", heart: "2764" };

/** Fills `messages`, `user_messages` and `reactions`, in batches, with one statement a table in each batch. */
export async function fillMessages(
  db: Database,
  { realmId }: Pick<HistoryOrganization, "realmId">,
  { messages, seed }: { readonly messages: number; readonly seed: number },
): Promise<void> {
  await db.rows("INSERT INTO clients (name) VALUES ('bench') ON CONFLICT DO NOTHING");
  await db.rows(
    `CREATE TABLE bench_lines AS SELECT n, text, '<p>' || text AS html, to_tsvector('english', text) AS search
     FROM unnest($1::text[]) WITH ORDINALITY AS l (text, n)`,
    [Array.from({ length: lines }, (_, n) => chatLine(n, "Somebody"))],
  );
  await db.rows("ANALYZE bench_lines, bench_channels, bench_talks");
  await db.rows(`CREATE UNLOGGED TABLE bench_drawn (id bigint, people int[], direct bool, sender_id int, recipient_id int,
    topic text, mentioned int, wildcard bool, edited bool, line int, word int, reactions int, sent_at timestamptz)`);
  const [before] = await db.rows<{ id: number }>(
    "SELECT coalesce(max(id), 0)::int AS id FROM messages",
  );
  const base = before!.id;
  const [codes, names] = [Object.values(emoji), Object.keys(emoji)];
  for (let from = 1; from <= messages; from += batch) {
    const to = Math.min(from + batch - 1, messages);
    await db.rows("TRUNCATE bench_drawn");
    await db.rows(drawText(seed), [base, from, to, messages]);
    await db.rows(messagesText, [realmId]);
    await db.rows(copiesText, [base + messages - Math.floor(messages / unreadOneIn)]);
    await db.rows(reactionsText, [codes, names]);
    if (to % 500_000 === 0) say(`${to} messages are written`);
  }
  await db.rows("SELECT setval('messages_id_seq', $1::bigint)", [base + messages]);
}

/**
 * Returns the statement that draws messages into `bench_drawn`. $1 is the highest message id before, $2 and $3 are the
 * numbers of the first and last message, $4 is the number of all messages.
 */
function drawText(seed: number): string {
  const d = (nth: number) => draw(seed, nth);
  return `WITH drawn AS MATERIALIZED (
      SELECT i, ${d(0)} < 0.2 AS direct, ${d(1)} < 0.5 AS busy, ${d(2)} AS a, ${d(3)} AS b, ${d(4)} AS c, ${d(5)} AS e,
        ${d(6)} AS f, ${d(7)} AS g, 1 + floor(${d(8)} * ${lines})::int AS line, floor(${d(9)} * ${cases})::int AS word
      FROM generate_series($2::bigint, $3::bigint) AS i
    ), placed AS (
      SELECT d.*, r.recipient_id, r.subscribers AS people, CASE
          WHEN c < 0.2 THEN 'daily notes'
          ELSE CASE WHEN c > 0.96 THEN '${resolvedPrefix}' ELSE '' END
            || (ARRAY[${topics.map((name) => `'${name}'`).join(", ")}])[1 + (t.n % ${topics.length})::int] || ' ' || t.n
        END AS topic
      FROM drawn d
      JOIN bench_channels r ON NOT d.direct AND r.n = CASE WHEN d.busy
        THEN ${busyChannels.first} + floor(a * ${busyChannels.last - busyChannels.first + 1})::int
        ELSE 1 + floor((SELECT count(*) FROM bench_channels) * pow(a, 0.8))::int END
      CROSS JOIN LATERAL (
        SELECT greatest(0, i / CASE WHEN busy THEN 5000 ELSE 125000 END - floor(8 * b * b * b))::bigint AS n
      ) t
      UNION ALL
      SELECT d.*, t.recipient_id, t.members, '${directTopic}'
      FROM drawn d JOIN bench_talks t
        ON d.direct AND t.n = 1 + floor((SELECT count(*) FROM bench_talks) * a * a)::int
    )
    INSERT INTO bench_drawn
    SELECT $1::bigint + i, people, direct, ${oneOf("people", "e * e")}, recipient_id, topic,
      CASE WHEN f < 0.083 AND NOT direct THEN ${oneOf("people", "g")} END,
      f > 0.995 AND NOT direct, f > 0.2 AND f < 0.24, line, word,
      CASE WHEN b < 0.1 THEN 1 + (i % 3)::int ELSE 0 END,
      now() - make_interval(secs => ($4 - i) * ${days * 86_400}::float8 / $4)
    FROM placed ORDER BY i`;
}

/** Inserts the drawn messages. $1 is the organization. */
const messagesText = `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content,
    rendered_content, render_version, sent_at, client_id, has_link, search, edit_history, last_edit_at)
  SELECT s.id, $1, s.sender_id, s.recipient_id, NOT direct, topic,
    l.text || coalesce(' @**' || u.full_name || '**', '') || ' case' || word,
    l.html || coalesce(' <span class="user-mention" data-user-id="' || u.id || '">@' || u.full_name || '</span>', '')
      || ' case' || word || '</p>',
    1, sent_at, (SELECT min(id) FROM clients), l.text LIKE '%https:%',
    CASE WHEN direct THEN '' ELSE setweight(to_tsvector('english', topic), 'A') END || l.search
      || ('case' || word || ':1')::tsvector,
    CASE WHEN edited THEN jsonb_build_array(jsonb_build_object('user_id', s.sender_id,
      'timestamp', floor(extract(epoch FROM sent_at))::bigint, 'prev_content', l.text,
      'prev_rendered_content', l.html || '</p>')) END,
    CASE WHEN edited THEN sent_at END
  FROM bench_drawn s JOIN bench_lines l ON l.n = s.line LEFT JOIN users u ON u.id = s.mentioned
  ORDER BY s.id`;

/** Inserts the copies of the drawn messages. $1 is the id of the newest read message. */
const copiesText = `INSERT INTO user_messages (user_id, message_id, flags)
  SELECT person, s.id, CASE WHEN direct THEN ${flag.direct} ELSE 0 END
    | CASE WHEN person = sender_id OR s.id <= $1 THEN ${flag.read} ELSE 0 END
    | CASE WHEN person = mentioned THEN ${flag.mentioned} ELSE 0 END
    | CASE WHEN wildcard THEN ${flag.streamWildcardMentioned} ELSE 0 END
    | CASE hashint8extended(s.id, person) & 1023
        WHEN 1 THEN ${flag.starred} WHEN 2 THEN ${flag.starred} WHEN 3 THEN ${flag.hasAlertWord} ELSE 0 END
  FROM bench_drawn s CROSS JOIN LATERAL unnest(s.people) AS person`;

/** Inserts the reactions. $1 and $2 are the codes and names of the emoji. */
const reactionsText = `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
  SELECT s.id, people[1 + (s.id * k) % cardinality(people)], 'unicode_emoji', ($1::text[])[k], ($2::text[])[k]
  FROM bench_drawn s CROSS JOIN LATERAL generate_series(1, s.reactions) AS k`;
