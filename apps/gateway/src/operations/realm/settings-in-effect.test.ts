import { deleteMessage, updateMessage, updateRealm } from "@carillon/contract";
import {
  changeOrganization,
  channel,
  type Params,
  type Refusable,
  refused,
  type TestAccount,
  type TestChannel,
  useScene,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

import { post } from "../../test-support/reading-messages.ts";

describe("Settings of an organization act at once", () => {
  const scene = useScene();
  const { db } = scene;
  let writer: TestAccount;
  let room: TestChannel;
  let hall: TestChannel;
  before(async () => {
    const { realm, groups } = scene.org;
    await changeOrganization(db, realm, {
      canDeleteOwnMessageGroupId: groups["role:everyone"],
      canMoveMessagesBetweenChannelsGroupId: groups["role:members"],
    });
    writer = await user(db, realm);
    const subscribers = [writer, scene.org.moderator];
    room = await channel(db, realm, { subscribers });
    hall = await channel(db, realm, { subscribers });
  });

  const set = (params: Params) => scene.as(scene.org.owner).succeed(updateRealm, { params });
  /** Posts a message that is `age` seconds old. */
  const old = async (age: number, topic = "old") => {
    const id = await post(scene.gateway, writer, room, topic);
    await db.rows("UPDATE messages SET sent_at = now() - make_interval(secs => $2) WHERE id = $1", [
      id,
      age,
    ]);
    return id;
  };
  const update = (message_id: number, params: Params, by = writer) =>
    scene.as(by).call(updateMessage, { path: { message_id }, params });
  const remove = (message_id: number) =>
    scene.as(writer).call(deleteMessage, { path: { message_id } });
  const works = async (work: () => Promise<Refusable>) =>
    expect((await work()).body).to.include({ result: "success" });
  const refuses = (work: () => Promise<Refusable>, code = "BAD_REQUEST") =>
    refused(db, work, code, undefined);

  it("message_content_edit_limit_seconds", async () => {
    const id = await old(700);
    await refuses(() => update(id, { content: "late" }));
    await set({ message_content_edit_limit_seconds: 800 });
    await works(() => update(id, { content: "in time" }));
    await set({ message_content_edit_limit_seconds: 100 });
    await refuses(() => update(id, { content: "late again" }));
    await set({ message_content_edit_limit_seconds: "unlimited" });
    await works(() => update(id, { content: "whenever" }));
  });

  it("allow_message_editing", async () => {
    const id = await old(0);
    await set({ allow_message_editing: false });
    await refuses(() => update(id, { content: "no" }));
    await works(() => update(id, { topic: "moved all the same" }));
    await set({ allow_message_editing: true });
    await works(() => update(id, { content: "yes" }));
  });

  it("message_content_delete_limit_seconds", async () => {
    const ids = [await old(700), await old(70_000)] as const;
    await refuses(() => remove(ids[0]));
    await set({ message_content_delete_limit_seconds: 800 });
    await works(() => remove(ids[0]));
    await refuses(() => remove(ids[1]));
    await set({ message_content_delete_limit_seconds: "unlimited" });
    await works(() => remove(ids[1]));
  });

  it("move_messages_within_stream_limit_seconds, not for moderators", async () => {
    const id = await old(700_000, "within");
    await refuses(() => update(id, { topic: "late" }));
    await set({ move_messages_within_stream_limit_seconds: "unlimited" });
    await works(() => update(id, { topic: "unlimited" }));
    await set({ move_messages_within_stream_limit_seconds: 60 });
    await refuses(() => update(id, { topic: "late" }));
    await works(() => update(id, { topic: "by a moderator" }, scene.org.moderator));
    await set({ move_messages_within_stream_limit_seconds: 604_800 });
  });

  it("move_messages_between_streams_limit_seconds", async () => {
    const id = await old(3_600, "between");
    await set({ move_messages_between_streams_limit_seconds: 60 });
    await refuses(() => update(id, { stream_id: hall.id }));
    const all = { stream_id: hall.id, propagate_mode: "change_all" };
    const fresh = await old(0, "between");
    await refuses(() => update(fresh, all), "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED");
    await set({ move_messages_between_streams_limit_seconds: "unlimited" });
    await works(() => update(fresh, all));
  });
});
