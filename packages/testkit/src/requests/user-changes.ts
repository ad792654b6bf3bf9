import { updateUser } from "@carillon/contract";
import { expect } from "chai";
import { eventsOf, type LoggedEvent } from "../event-log.ts";
import { reload, type TestAccount } from "../factories/account.ts";
import type { Scene } from "../scene.ts";
import { refused } from "./refusal.ts";

type Params = Readonly<Record<string, unknown>>;

/** Helpers for `PATCH /users/{user_id}` in a scene. */
export function userChanging(scene: Scene) {
  const patch = (by: TestAccount, userId: number, params: Params) =>
    scene.as(by).call(updateUser, { path: { user_id: userId }, params });
  /** A successful change: its events, and the resulting account. */
  const change = async (
    by: TestAccount,
    target: TestAccount,
    params: Params,
  ): Promise<{ events: LoggedEvent[]; now: TestAccount }> => {
    const { result, events } = await eventsOf(scene.db, target.realmId, () =>
      patch(by, target.id, params),
    );
    expect(result.body, JSON.stringify(params)).to.deep.equal({ result: "success", msg: "" });
    return { events, now: await reload(scene.db, target) };
  };
  const refuses = (by: TestAccount, userId: number, params: Params, code?: string) =>
    refused(scene.db, () => patch(by, userId, params), code);
  /** The names of the account's direct groups, ordered by group ID. */
  const groupsOf = async (userId: number): Promise<string[]> => {
    const rows = await scene.db.rows<{ name: string }>(
      `SELECT g.name FROM user_group_member m JOIN named_user_group g ON g.id = m.group_id
       WHERE m.user_id = $1 ORDER BY g.id`,
      [userId],
    );
    return rows.map(({ name }) => name);
  };
  return { patch, change, refuses, groupsOf };
}

/** Builds the event of one changed property of an account. */
export function personChange(
  userId: number,
  change: object,
  audience: readonly number[] | null = null,
) {
  return {
    type: "realm_user",
    op: "update",
    payload: { person: { user_id: userId, ...change } },
    audience,
  };
}
