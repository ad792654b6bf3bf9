import { setImmediate } from "node:timers/promises";

import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { accountColumns, type Account } from "./account.ts";
import { avatarUrl } from "./avatar.ts";
import { presentUser, type UserObject } from "./present.ts";

export interface ReadUserOptions {
  readonly clientGravatar: boolean;
  /** Whether to tell people's custom profile fields; there are none yet. */
  readonly profileFields: boolean;
}

/**
 * One account of the organization as the viewer sees it, deactivated ones and bots included.
 * @throws ApiError `BAD_REQUEST` when there is none
 */
export async function readUser(
  sql: Sql,
  viewer: Account,
  userId: number,
  options: ReadUserOptions,
): Promise<UserObject> {
  const [account] = await sql.rows<Account>(
    `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
    [viewer.realmId, userId],
  );
  if (!account) throw errors.badRequest("There is no such user");
  return presentUser(viewer, account, presentation(options));
}

/** The accounts of the organization, its own bots left out; only those with the ids where given. */
export async function listUsers(
  sql: Sql,
  viewer: Account,
  userIds: readonly number[] | undefined,
  options: ReadUserOptions,
): Promise<UserObject[]> {
  const accounts = await sql.rows<Account>(
    `SELECT ${accountColumns} FROM users u
     WHERE u.realm_id = $1 AND u.system_bot_kind IS NULL AND ($2::int[] IS NULL OR u.id = ANY($2::int[]))
     ORDER BY u.id`,
    [viewer.realmId, userIds ?? null],
  );
  const shown = presentation(options);
  const members: UserObject[] = [];
  for (const account of accounts) {
    members.push(presentUser(viewer, account, shown));
    if (members.length % slice === 0) await setImmediate();
  }
  return members;
}

/** Accounts that are presented in one go, a few milliseconds' work: others get their turn in between. */
const slice = 500;

function presentation({ clientGravatar, profileFields }: ReadUserOptions) {
  return { clientGravatar, ...(profileFields ? { profileData: {} } : {}) };
}

export interface OwnUser extends UserObject {
  avatar_url: string;
  /** −1 when the account has no message. */
  max_message_id: number;
}

/** The viewer's own account, with everything. */
export async function readOwnUser(sql: Sql, viewer: Account): Promise<OwnUser> {
  const [row] = await sql.rows<{ id: number | null }>(
    {
      name: "max-message-id",
      text: "SELECT max(message_id) AS id FROM user_messages WHERE user_id = $1",
    },
    [viewer.id],
  );
  return {
    ...presentUser(viewer, viewer, { clientGravatar: false, profileData: {} }),
    avatar_url: avatarUrl(viewer),
    max_message_id: row?.id ?? -1,
  };
}
