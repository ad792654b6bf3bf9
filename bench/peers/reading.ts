import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { secretsOf } from "@carillon/model";
import pg from "pg";

// The minimal cost of reading a channel's newest messages: no checks of parameters, access or the answer, no contract,
// no log, no database snapshot. Answers have stored email addresses, no avatars and no topic links.
const secrets = secretsOf(process.env["SECRET_KEY"]!);
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"]!, max: 10 });
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const server = createServer((request, response) => {
  answer(request).then(
    (messages) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ result: "success", msg: "", messages }));
    },
    (error: unknown) => {
      console.error(error);
      response.statusCode = 500;
      response.end();
    },
  );
});
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

interface MessageRow {
  readonly id: number;
  readonly content: string;
  readonly flags: number | null;
  readonly edit_history: ReadonlyArray<{ readonly timestamp: number }> | null;
}
interface ReactionRow {
  readonly message_id: number;
}

const keyText = `SELECT u.id, r.subdomain FROM users u JOIN realms r ON r.id = u.realm_id
  WHERE u.api_key_digest = $1 AND u.is_active`;
const messagesText = `SELECT m.id, m.sender_id, m.recipient_id, m.topic AS subject, m.content, m.rendered_content,
    floor(extract(epoch FROM m.sent_at))::int AS timestamp, m.edit_history, client.name AS client, um.flags,
    c.id AS stream_id, c.name AS display_recipient, u.email AS sender_email, u.full_name AS sender_full_name
  FROM (SELECT * FROM messages WHERE recipient_id = (SELECT id FROM recipients WHERE channel_id = $2)
    ORDER BY id DESC LIMIT $3) m
  JOIN channels c ON c.id = $2 JOIN clients client ON client.id = m.client_id JOIN users u ON u.id = m.sender_id
  LEFT JOIN user_messages um ON um.user_id = $1 AND um.message_id = m.id ORDER BY m.id DESC`;
const reactionsText = `SELECT message_id, emoji_name, emoji_code, reaction_type, user_id
  FROM reactions WHERE message_id = ANY($1::bigint[]) ORDER BY id`;

const bits = ["read", "starred", "collapsed", "mentioned", "stream_wildcard_mentioned"];

async function answer(request: IncomingMessage): Promise<object[]> {
  const basic = Buffer.from(request.headers.authorization!.slice(6), "base64").toString();
  const key = basic.slice(basic.indexOf(":") + 1);
  const found = await pool.query<{ id: number; subdomain: string }>({
    name: "key",
    text: keyText,
    values: [secrets.digest(key)],
  });
  const user = found.rows[0]!;
  const { searchParams } = new URL(request.url!, "http://localhost");
  const [term] = JSON.parse(searchParams.get("narrow")!) as [{ operand: number }];
  const { rows } = await pool.query<MessageRow>({
    name: "messages",
    text: messagesText,
    values: [user.id, term.operand, Number(searchParams.get("num_before"))],
  });
  const reactions = await pool.query<ReactionRow>({
    name: "reactions",
    text: reactionsText,
    values: [rows.map(({ id }) => id)],
  });
  const on = new Map<number, ReactionRow[]>();
  for (const row of reactions.rows)
    on.set(row.message_id, [...(on.get(row.message_id) ?? []), row]);
  return rows.toReversed().map((row) => present(row, on.get(row.id) ?? [], user.subdomain));
}

function present(row: MessageRow, reactions: readonly ReactionRow[], subdomain: string): object {
  const { rendered_content, edit_history, flags, ...fields } = row as MessageRow & {
    readonly rendered_content: string;
  };
  return {
    ...fields,
    type: "stream",
    content: rendered_content,
    content_type: "text/html",
    flags: flags === null ? ["read", "historical"] : names(flags),
    is_me_message: row.content.startsWith("/me "),
    avatar_url: null,
    sender_realm_str: subdomain,
    topic_links: [],
    submessages: [],
    reactions: reactions.map(({ message_id: _message, ...reaction }) => reaction),
    ...(edit_history ? { last_edit_timestamp: edit_history[0]!.timestamp, edit_history } : {}),
  };
}

function names(flags: number): string[] {
  const own = bits.filter((_, bit) => (flags & (1 << bit)) !== 0);
  if (flags & 16) own.push("wildcard_mentioned");
  if (flags & 64) own.push("has_alert_word");
  return own;
}
