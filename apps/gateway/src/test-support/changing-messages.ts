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

import { all, term } from "./reading-messages.ts";

/** Shared helpers of the tests of `PATCH /messages/{message_id}`. */

type Params = Readonly<Record<string, unknown>>;

export function ask(
  { gateway }: Pick<Scene, "gateway">,
  by: TestAccount,
  id: number,
  params: Params,
) {
  return gateway.as(by).call(updateMessage, { path: { message_id: id }, params });
}

/** Changes the message and expects success. @returns the events in order */
export async function change(scene: Scene, by: TestAccount, id: number, params: Params) {
  const { result, events } = await eventsOf(scene.db, by.realmId, () => ask(scene, by, id, params));
  expect(result.body).to.deep.equal({ result: "success", msg: "", detached_uploads: [] });
  return events;
}

/** Expects that the request is refused with this error and changes nothing. */
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

/** The events of one type. */
export function received(events: Awaited<ReturnType<typeof change>>, type: string) {
  return announced(events).filter((event) => event.type === type);
}

/** The messages of a channel as the account reads them: place and content. */
export async function read(scene: Scene, by: TestAccount, room: TestChannel) {
  const narrow = [term("channel", room.id)];
  return (await all(scene.gateway, by, narrow, { apply_markdown: false })).messages;
}

/** The account's flags of the message as bits; undefined if it has no copy. */
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

/** Makes the message older by this many seconds. */
export async function age({ db }: Pick<Scene, "db">, id: number, seconds: number): Promise<void> {
  await db.rows("UPDATE messages SET sent_at = now() - make_interval(secs => $2) WHERE id = $1", [
    id,
    seconds,
  ]);
}
