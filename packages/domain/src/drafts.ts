import {
  draftRemoved,
  type DraftResource,
  draftsAdded,
  draftUpdated,
  errors,
  type GivenDraft,
  maxDrafts,
} from "@carillon/contract";
import {
  type PagedList,
  readList,
  type Sql,
  statement,
  inOneStatement,
  type Tx,
  notNull,
  typed,
} from "@carillon/db";
import { emit } from "@carillon/events";
import { cutTo } from "@carillon/kit";
import {
  type Account,
  hasContentAccess,
  loadChannels,
  loadMemberships,
  loadUserVisibility,
  loadSubscribedChannels,
  lockAccount,
  maxTopicLength,
  normaliseContent,
  noSuchChannel,
  switchSql,
} from "@carillon/model";
import type { Section } from "./snapshot-section.ts";

/** A stored draft as Prisma returns it. */
interface DraftRow {
  readonly id: number;
  readonly kind: string;
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly lastEditTime: Date;
}

const sizes = statement({
  name: "drafts-sizes",
  text: `SELECT id, octet_length(content) + 200 + 12 * cardinality("to") AS bytes FROM drafts WHERE user_id = $1
    ORDER BY id`,
  overrides: { bytes: notNull },
});

const byIds = statement({
  name: "drafts-by-ids",
  text: `SELECT id, kind AS type, "to", topic, content, floor(extract(epoch FROM last_edit_time))::bigint AS timestamp
    FROM drafts WHERE user_id = $1 AND id = ANY(ARRAY(SELECT unnest($2::int[]))) ORDER BY id`,
  overrides: { type: typed<DraftResource["type"]>() },
});

/**
 * Lists the account's drafts, oldest first: as one array, or page by page if it is large.
 * @param sql a REPEATABLE READ transaction
 */
export async function listDrafts(
  sql: Sql,
  userId: number,
): Promise<DraftResource[] | PagedList<DraftResource>> {
  return readList(sql, await sql.rows(sizes, [userId]), async (one, ids) =>
    (await one.rows(byIds, [userId, ids])).map((row) => ({ ...row, to: row.to ?? [] })),
  );
}

/** The account's drafts. */
export const draftsSection: Section = {
  names: ["drafts"],
  load: async ({ tx, actor }) => ({ drafts: await listDrafts(tx, actor.id) }),
};

/** Converts a stored draft to its wire format. */
function presentDraft(row: DraftRow): DraftResource {
  const { id, kind, to, topic, content, lastEditTime } = row;
  const timestamp = Math.floor(lastEditTime.getTime() / 1_000);
  return { id, type: kind as DraftResource["type"], to: [...to], topic, content, timestamp };
}

/**
 * Stores all of the drafts or none (clients.md §4).
 * @returns their ids, in the order given
 * @throws ApiError `BAD_REQUEST`
 */
export async function createDrafts(
  tx: Tx,
  actor: Account,
  given: readonly GivenDraft[],
): Promise<number[]> {
  await lockDrafts(tx, actor);
  const drafts = await checkDrafts(tx, actor, given);
  const prisma = await tx.prisma();
  const ofAccount = { userId: actor.id };
  if ((await prisma.draft.count({ where: ofAccount })) + drafts.length > maxDrafts)
    throw errors.badRequest(`An account must not have more than ${maxDrafts} drafts`);
  const rows = await prisma.draft.createManyAndReturn({
    data: drafts.map((draft) => ({ ...draft, ...ofAccount })),
  });
  const stored = rows.map(presentDraft);
  emit(tx, actor.realmId, [draftsAdded({ drafts: stored }, { audience: [actor.id] })]);
  return stored.map(({ id }) => id);
}

/**
 * Replaces a draft.
 * @throws ApiError `BAD_REQUEST`; with status 404 if the account has no such draft
 */
export async function updateDraft(
  tx: Tx,
  actor: Account,
  id: number,
  given: GivenDraft,
): Promise<void> {
  await lockDrafts(tx, actor);
  const prisma = await tx.prisma();
  const where = { userId: actor.id, id };
  const draft = await prisma.draft.findUnique({ where });
  if (!draft) throw noSuchDraft();
  const known = draft.kind === "private" ? draft.to : [];
  const [data] = await checkDrafts(tx, actor, [given], known);
  const row = await prisma.draft.update({ where, data: { ...data } });
  emit(tx, actor.realmId, [draftUpdated({ draft: presentDraft(row) }, { audience: [actor.id] })]);
}

/**
 * Deletes a draft.
 * @throws ApiError `BAD_REQUEST`; with status 404 if the account has no such draft
 */
export async function deleteDraft(tx: Tx, actor: Account, id: number): Promise<void> {
  await lockDrafts(tx, actor);
  const prisma = await tx.prisma();
  const { count } = await prisma.draft.deleteMany({ where: { userId: actor.id, id } });
  if (count === 0) throw noSuchDraft();
  emit(tx, actor.realmId, [draftRemoved({ draft_id: id }, { audience: [actor.id] })]);
}

function noSuchDraft() {
  return errors.notFound404("You have no such draft");
}

const peopleOf = statement({
  name: "drafts-people",
  text: `SELECT id, is_bot AS "isBot" FROM users WHERE realm_id = $1 AND id = ANY($2::int[])`,
});

/**
 * Checks drafts and converts them to the columns to store (clients.md §4). The number of statements does not depend on
 * the number of drafts.
 * @throws ApiError `BAD_REQUEST` for a draft without content, for a channel draft without exactly one channel, for a
 * channel whose messages the account cannot read, and for recipients that do not exist or that the account cannot see
 * @param known recipients that the draft already had: these are not checked again
 */
async function checkDrafts(
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

/** Removes duplicates and the account itself, which stays only if it is the sole recipient. */
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
  const [found, userVisibility] = await Promise.all([
    tx.rows(peopleOf, [actor.realmId, ids]),
    loadUserVisibility(tx, actor),
  ]);
  if (found.filter(userVisibility.sees).length < ids.length)
    throw errors.badRequest("to contains the ID of a user that does not exist");
}

const wanted = statement({
  name: "drafts-wanted",
  text: `SELECT ${switchSql("enable_drafts_synchronization")} AS wanted FROM users u WHERE u.id = $1`,
});

const deleteAll = statement({
  name: "drafts-delete-all",
  text: "DELETE FROM drafts WHERE user_id = ANY($1::int[])",
});

/**
 * Checks that the account synchronizes its drafts.
 * @throws ApiError `BAD_REQUEST` if it has turned `enable_drafts_synchronization` off
 */
export async function requireSynchronization(sql: Sql, actor: Account): Promise<void> {
  const [row] = await sql.rows(wanted, [actor.id]);
  if (!row?.wanted)
    throw errors.badRequest(
      "You have turned off the synchronization of drafts (enable_drafts_synchronization)",
    );
}

/**
 * Locks the account until the transaction ends, so that its clients receive events in the order of the changes.
 * @throws ApiError `BAD_REQUEST` if the account does not synchronize its drafts
 */
async function lockDrafts(tx: Tx, actor: Account): Promise<void> {
  await lockAccount(tx, actor.realmId, actor.id);
  await requireSynchronization(tx, actor);
}

/**
 * Deletes the drafts of accounts that no longer synchronize them; sends no event (settings-and-profile-fields.md §1.3).
 * @param userIds an array, or a PostgreSQL array literal
 */
export async function forgetDrafts(tx: Tx, userIds: readonly number[] | string): Promise<void> {
  await tx.rows(deleteAll, [userIds]);
}
