import { updateMessage } from "@carillon/contract";
import {
  announced,
  eventsOf,
  refused,
  type Scene,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { all, term } from "./reading.test.ts";

/** What the tests of `PATCH /messages/{message_id}` share. */

type Params = Readonly<Record<string, unknown>>;

export function ask(
  { gateway }: Pick<Scene, "gateway">,
  by: TestAccount,
  id: number,
  params: Params,
) {
  return gateway.as(by).call(updateMessage, { path: { message_id: id }, params });
}

/** Changes the message, which has to work. @returns what was told, in order */
export async function change(scene: Scene, by: TestAccount, id: number, params: Params) {
  const { result, events } = await eventsOf(scene.db, by.realmId, () => ask(scene, by, id, params));
  expect(result.body).to.deep.equal({ result: "success", msg: "", detached_uploads: [] });
  return events;
}

/** The request has to be refused so, and to change nothing. */
export function changeRefused(
  scene: Scene,
  by: TestAccount,
  id: number,
  params: Params,
  code = "BAD_REQUEST",
  fields?: Params,
) {
  return refused(scene.db, () => ask(scene, by, id, params), code, fields);
}

/** What was told of one type. */
export function told(events: Awaited<ReturnType<typeof change>>, type: string) {
  return announced(events).filter((event) => event.type === type);
}

/** The messages of a channel as somebody reads them: where each is and what it says. */
export async function read(scene: Scene, by: TestAccount, room: TestChannel) {
  const narrow = [term("channel", room.id)];
  return (await all(scene.gateway, by, narrow, { apply_markdown: false })).messages;
}

/** The account's flags of the message as bits; undefined where it has no copy. */
export async function flagsOf(
  { db }: Pick<Scene, "db">,
  by: { readonly id: number },
  id: number,
): Promise<number | undefined> {
  const [row] = await db.rows<{ flags: number }>(
    "SELECT flags FROM user_messages WHERE user_id = $1 AND message_id = $2",
    [by.id, id],
  );
  return row?.flags;
}

/** Makes the message so many seconds older. */
export async function age({ db }: Pick<Scene, "db">, id: number, seconds: number): Promise<void> {
  await db.rows("UPDATE messages SET sent_at = now() - make_interval(secs => $2) WHERE id = $1", [
    id,
    seconds,
  ]);
}

export const ascending = (...accounts: ReadonlyArray<{ readonly id: number }>) =>
  accounts.map(({ id }) => id).sort((a, b) => a - b);
