import {
  type Person,
  type Reaction,
  type Reader,
  type Sight,
  type StoredMessage,
  type Submessage,
  flagNames,
  fullSight,
  loadPeople,
  loadReactions,
  loadSight,
  loadSubmessages,
} from "@carillon/model";
import type { EditHistoryEntry, ProgramNeed } from "@carillon/contract";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

const byIds = statement({
  name: "messages-for-viewer",
  text: `SELECT m.id, m.sender_id AS "senderId", m.recipient_id AS "recipientId", m.topic, m.content,
      m.rendered_content AS "renderedContent", extract(epoch FROM m.sent_at)::float8 AS "sentAt",
      m.edit_history AS "editHistory",
      client.name AS client, um.flags, c.id AS "channelId", c.name AS "channelName", r.member_ids AS "memberIds"
    FROM messages m
    JOIN recipients r ON r.id = m.recipient_id
    JOIN clients client ON client.id = m.client_id
    LEFT JOIN channels c ON c.id = r.channel_id
    LEFT JOIN user_messages um ON um.user_id = $1 AND um.message_id = m.id
    WHERE m.id = ANY($2::bigint[])
    ORDER BY m.id`,
  row: {
    id: column.bigint,
    senderId: column.int,
    recipientId: column.int,
    topic: column.text,
    content: column.text,
    renderedContent: column.text,
    sentAt: column.float,
    editHistory: column.json<readonly EditHistoryEntry[]>().orNull(),
    client: column.text,
    /** The viewer's flags, null without a row. */
    flags: column.int.orNull(),
    channelId: column.int.orNull(),
    /** Null where `channelId` is. */
    channelName: column.text.orNull(),
    /** Null for a channel. */
    memberIds: column.ints.orNull(),
  },
});

/** A message as one viewer has it. */
export type MessageRow = RowOf<typeof byIds.columns>;

/** Of a message of the shared history that the viewer has no row of (messages.md §2.1). */
const withoutRow = ["read", "historical"];

/** A message and the names of the viewer's flags on it. */
export interface HydratedMessage {
  readonly message: StoredMessage;
  readonly flags: readonly string[];
}

/** What is read of messages. */
export interface LoadedMessages {
  /** Ascending by id. */
  readonly rows: readonly MessageRow[];
  readonly reactions: ReadonlyMap<number, readonly Reaction[]>;
  readonly submessages: ReadonlyMap<number, readonly Submessage[]>;
  /** On its way: the COMMIT of a transaction that ends now goes out together with what asks for it. */
  readonly people: Promise<ReadonlyMap<number, Person>>;
  /** Whether who has reacted is among the people, and is to be shown. */
  readonly showsReactors: boolean;
  /** The viewer's. */
  readonly sight: Sight;
}

/** Messages that are read at once: with the longest texts about 6 MB, which the driver reads in one go. */
const page = 250;

/**
 * Loads the messages with these ids, which the viewer has been found to see.
 * @param needs of the program that asks
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
      reactions: new Map(),
      submessages: new Map(),
      people: Promise.resolve(new Map()),
      showsReactors,
      sight: fullSight,
    };
  const [rows, sight, reactions, submessages] = await Promise.all([
    loadRows(sql, viewer, ids),
    loadSight(sql, viewer),
    loadReactions(sql, ids),
    loadSubmessages(sql, ids),
  ]);
  const people = loadPeople(
    sql,
    viewer.realmId,
    peopleIn(rows, showsReactors ? reactions : new Map()),
  );
  // Its failure is told to who waits for it; where the transaction fails first, nobody does.
  people.catch(() => {});
  return { rows, reactions, submessages, people, showsReactors, sight };
}

async function loadRows(sql: Sql, viewer: Reader, ids: readonly number[]): Promise<MessageRow[]> {
  if (ids.length <= page) return sql.rows(byIds, [viewer.id, ids]);
  const rows: MessageRow[] = [];
  for (let start = 0; start < ids.length; start += page)
    for (const row of await sql.rows(byIds, [viewer.id, ids.slice(start, start + page)]))
      rows.push(row);
  return rows;
}

/** The messages, as they are presented. */
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
    if (!found) throw new Error(`message ${row.id} belongs to account ${id}, which is not there`);
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
