import {
  type Person,
  type Reaction,
  type Reader,
  type UserVisibility,
  type StoredMessage,
  type Submessage,
  flagNames,
  fullUserVisibility,
  loadHistoryShown,
  loadPeople,
  loadReactions,
  loadUserVisibility,
  loadSubmessages,
} from "@carillon/model";
import type { EditHistoryEntry, ProgramNeed } from "@carillon/contract";
import { statement, typed, notNull, type RowOf, type Sql } from "@carillon/db";

/**
 * SQL: an estimate of the bytes that a message `m` takes in a response. Uses lengths that PostgreSQL knows without
 * reading the texts; the edit history counts as eight times its compressed size.
 */
const weight = `octet_length(m.content) + octet_length(m.rendered_content) + 500
    + 8 * coalesce(pg_column_size(m.edit_history), 0) + 150 * coalesce(cardinality(r.member_ids), 0)
    + 200 * (SELECT count(*) FROM reactions WHERE message_id = m.id)
    + coalesce((SELECT sum(octet_length(s.content) + 100) FROM submessages s WHERE s.message_id = m.id), 0)`;

const byIds = statement({
  name: "messages-for-viewer",
  // `flags`: The viewer's flags; null without a copy.
  // `channelName`: Null if `channelId` is null.
  // `memberIds`: Null for a channel.
  text: `SELECT m.id, m.sender_id AS "senderId", m.recipient_id AS "recipientId", m.topic, m.content,
      m.rendered_content AS "renderedContent", extract(epoch FROM m.sent_at)::float8 AS "sentAt",
      m.edit_history AS "editHistory",
      client.name AS client, um.flags, c.id AS "channelId", c.name AS "channelName", r.member_ids AS "memberIds",
      page.weight
    FROM (
      SELECT id, weight, sum(weight) OVER (ORDER BY id) - weight AS before FROM (
        SELECT m.id, (${weight})::float8 AS weight FROM messages m JOIN recipients r ON r.id = m.recipient_id
        WHERE m.id = ANY($2::bigint[])) weighed
    ) page
    JOIN messages m ON m.id = page.id
    JOIN recipients r ON r.id = m.recipient_id
    JOIN clients client ON client.id = m.client_id
    LEFT JOIN channels c ON c.id = r.channel_id
    LEFT JOIN user_messages um ON um.user_id = $1 AND um.message_id = m.id
    WHERE page.before < $3
    ORDER BY m.id`,
  overrides: { editHistory: typed<readonly EditHistoryEntry[]>(), weight: notNull },
});

/** A message as read for one viewer. */
export type MessageRow = RowOf<typeof byIds>;

/** Flags of a message in shared history that the viewer has no copy of (messages.md §2.1). */
const withoutRow = ["read", "historical"];

/** A message and the names of the viewer's flags on it. */
export interface HydratedMessage {
  readonly message: StoredMessage;
  readonly flags: readonly string[];
}

/** The data read for messages. */
export interface LoadedMessages {
  /** Ascending by id. */
  readonly rows: readonly MessageRow[];
  /** Requested ids that were not read because the page is full. */
  readonly rest: readonly number[];
  readonly reactions: ReadonlyMap<number, readonly Reaction[]>;
  readonly submessages: ReadonlyMap<number, readonly Submessage[]>;
  /** Still loading: the COMMIT of a transaction that ends now is sent together with this query. */
  readonly people: Promise<ReadonlyMap<number, Person>>;
  /** Whether `people` includes the accounts that have reacted, and the response shows them. */
  readonly showsReactors: boolean;
  /** Which users the viewer can see. */
  readonly userVisibility: UserVisibility;
}

/** Maximum messages that one statement reads. */
export const messagesAtOnce = 250;
/** Bytes of messages, by `weight`, after which reading stops: what a large response keeps in memory. */
const pageBytes = 1_000_000;

/**
 * Loads the first messages of a list, as many as fit a page. The caller has checked that the viewer can see them.
 * @param ids ascending
 * @param needs of the client program
 */
export async function loadMessages(
  sql: Sql,
  viewer: Reader,
  ids: readonly number[],
  needs: readonly ProgramNeed[],
): Promise<LoadedMessages> {
  const showsReactors = needs.includes("reaction_user");
  if (ids.length === 0)
    return {
      rows: [],
      rest: [],
      reactions: new Map(),
      submessages: new Map(),
      people: Promise.resolve(new Map()),
      showsReactors,
      userVisibility: fullUserVisibility,
    };
  const [{ rows: stored, rest }, userVisibility] = await Promise.all([
    loadRows(sql, viewer, ids),
    loadUserVisibility(sql, viewer),
  ]);
  const read = stored.map(({ id }) => id);
  const [reactions, submessages] = await Promise.all([
    loadReactions(sql, read),
    loadSubmessages(sql, read),
  ]);
  const shownOf = await loadHistoryShown(
    sql,
    viewer,
    stored.map(({ editHistory }) => editHistory),
  );
  const rows = stored.map((row) =>
    Object.assign(row, {
      editHistory: shownOf({ editHistory: row.editHistory, received: row.flags !== null }),
    }),
  );
  const people = loadPeople(
    sql,
    viewer.realmId,
    peopleIn(rows, showsReactors ? reactions : new Map()),
  );
  // Avoids an unhandled rejection: if the transaction fails first, no caller awaits the promise.
  people.catch(() => {});
  return { rows, rest, reactions, submessages, people, showsReactors, userVisibility };
}

async function loadRows(
  sql: Sql,
  viewer: Reader,
  ids: readonly number[],
): Promise<{ rows: MessageRow[]; rest: readonly number[] }> {
  const rows: MessageRow[] = [];
  let bytesLeft = pageBytes;
  for (let start = 0; start < ids.length; start += messagesAtOnce) {
    const wanted = ids.slice(start, start + messagesAtOnce);
    for (const row of await sql.rows(byIds, [viewer.id, wanted, bytesLeft])) {
      rows.push(row);
      bytesLeft -= row.weight;
    }
    const last = rows.at(-1)?.id;
    if (bytesLeft <= 0 && last !== undefined) return { rows, rest: ids.filter((id) => id > last) };
  }
  return { rows, rest: [] };
}

/** Combines the loaded data into messages in the format that is presented. */
export async function hydrate(loaded: LoadedMessages): Promise<HydratedMessage[]> {
  const people = await loaded.people;
  const reactors = loaded.showsReactors ? people : undefined;
  return loaded.rows.map((row) => ({
    message: Object.assign(presentable(row, people), {
      reactions: loaded.reactions.get(row.id) ?? [],
      submessages: loaded.submessages.get(row.id) ?? [],
      reactors,
    }),
    flags: row.flags === null ? withoutRow : flagNames(row.flags),
  }));
}

function* peopleIn(
  rows: readonly MessageRow[],
  reactions: LoadedMessages["reactions"],
): Iterable<number> {
  for (const ofMessage of reactions.values()) for (const { userId } of ofMessage) yield userId;
  for (const { senderId, memberIds } of rows) {
    yield senderId;
    if (memberIds !== null) yield* memberIds;
  }
}

function presentable(
  row: MessageRow,
  people: ReadonlyMap<number, Person>,
): Omit<StoredMessage, "reactions" | "submessages" | "reactors"> {
  const { channelId, channelName, topic, memberIds } = row;
  const person = (id: number) => {
    const found = people.get(id);
    if (!found) throw new Error(`message ${row.id} refers to unknown account ${id}`);
    return found;
  };
  return {
    id: row.id,
    sentAt: row.sentAt,
    sender: person(row.senderId),
    client: row.client,
    recipientId: row.recipientId,
    place:
      channelId === null || channelName === null
        ? { participants: (memberIds ?? []).map(person) }
        : { channel: { id: channelId, name: channelName }, topic },
    content: row.content,
    renderedContent: row.renderedContent,
    editHistory: row.editHistory,
  };
}
