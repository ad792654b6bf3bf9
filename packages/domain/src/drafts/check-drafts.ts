import { errors, type GivenDraft } from "@carillon/contract";
import { column, statement, inOneStatement, type Tx } from "@carillon/db";
import { cutTo } from "@carillon/kit";
import {
  hasContentAccess,
  loadChannels,
  loadMemberships,
  loadSight,
  loadSubscribedChannels,
  maxTopicLength,
  noSuchChannel,
  normaliseContent,
  type Account,
} from "@carillon/model";

const peopleOf = statement({
  name: "drafts-people",
  text: `SELECT id, is_bot AS "isBot" FROM users WHERE realm_id = $1 AND id = ANY($2::int[])`,
  row: { id: column.int, isBot: column.bool },
});

/**
 * What is stored of drafts (clients.md §4). As many statements for many drafts as for one.
 * @throws ApiError `BAD_REQUEST` for a draft without content, to no or several channels, to a channel whose messages the
 * account does not see, and to people whom there are not, or whom it does not see
 * @param known people whom a draft may go on naming
 */
export async function checkDrafts(
  tx: Tx,
  actor: Account,
  drafts: readonly GivenDraft[],
  known: readonly number[] = [],
) {
  const rows = drafts.map(({ type, to, topic, content, timestamp }) => {
    if (type === "stream" && to.length !== 1)
      throw errors.badRequest("A draft of type stream has exactly one channel ID in to");
    return {
      kind: type,
      to: type === "stream" ? [...to] : type === "private" ? othersOf(actor, to) : [],
      topic: type === "stream" ? cutTo(topic.trim(), maxTopicLength, "...") : "",
      content: normaliseContent(content),
      lastEditTime: timestamp === undefined ? new Date() : new Date(timestamp * 1_000),
    };
  });
  const named = (kind: string) => [
    ...new Set(rows.flatMap((row) => (row.kind === kind ? row.to : []))),
  ];
  await Promise.all([
    checkChannels(tx, actor, named("stream")),
    checkPeople(
      tx,
      actor,
      named("private").filter((id) => !known.includes(id)),
    ),
  ]);
  return rows;
}

/** The account itself is meant where nobody else is. */
function othersOf({ id }: Account, to: readonly number[]): number[] {
  const others = [...new Set(to)].filter((each) => each !== id);
  return others.length === 0 && to.length > 0 ? [id] : others;
}

async function checkChannels(tx: Tx, actor: Account, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const [channels, memberships, subscribed] = await inOneStatement(tx, (one) =>
    Promise.all([
      loadChannels(one, actor.realmId, ids),
      loadMemberships(one, [actor.id]),
      loadSubscribedChannels(one, [actor.id]),
    ]),
  );
  for (const id of ids) {
    const channel = channels.get(id);
    if (!channel || !hasContentAccess(actor, channel, memberships, subscribed(actor.id, id)))
      throw noSuchChannel(id);
  }
}

async function checkPeople(tx: Tx, actor: Account, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const [found, sight] = await Promise.all([
    tx.rows(peopleOf, [actor.realmId, ids]),
    loadSight(tx, actor),
  ]);
  if (found.filter(sight.sees).length < ids.length)
    throw errors.badRequest("to names somebody who does not exist");
}
