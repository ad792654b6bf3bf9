import { errors } from "@carillon/contract";
import { column, statement, type Sql, type Tx } from "@carillon/db";
import { lockAccount, switchSql, type Account } from "@carillon/model";

const wanted = statement({
  name: "drafts-wanted",
  text: `SELECT ${switchSql("enable_drafts_synchronization")} AS wanted FROM users u WHERE u.id = $1`,
  row: { wanted: column.bool },
});

const deleteAll = statement({
  name: "drafts-delete-all",
  text: "DELETE FROM drafts WHERE user_id = ANY($1::int[])",
  row: {},
});

/** @throws ApiError `BAD_REQUEST` where the account keeps its drafts to its clients (`enable_drafts_synchronization`) */
export async function requireSynchronization(sql: Sql, actor: Account): Promise<void> {
  const [row] = await sql.rows(wanted, [actor.id]);
  if (!row?.wanted)
    throw errors.badRequest(
      "You have turned off that drafts are kept (enable_drafts_synchronization)",
    );
}

/**
 * One change at a time for an account, which wants its drafts kept: its clients are told in the order of the changes.
 * @throws ApiError `BAD_REQUEST` where it does not
 */
export async function lockDrafts(tx: Tx, actor: Account): Promise<void> {
  await lockAccount(tx, actor.realmId, actor.id);
  await requireSynchronization(tx, actor);
}

/**
 * Deletes the drafts of accounts for which they are not to be kept any more; nobody is told
 * (settings-and-profile-fields.md §1.3).
 * @param userIds a list, or one as SQL writes it
 */
export async function forgetDrafts(tx: Tx, userIds: readonly number[] | string): Promise<void> {
  await tx.rows(deleteAll, [userIds]);
}
