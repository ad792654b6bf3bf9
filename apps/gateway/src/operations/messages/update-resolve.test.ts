import { deleteTopic } from "@carillon/contract";
import {
  anonymousGroup,
  changeChannel,
  changeOrganization,
  channel,
  setTopicPolicy,
  changeSettings,
  subscribe,
  type TestAccount,
  type TestChannel,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import {
  age,
  change,
  changeRefused,
  flagsOf,
  read,
  received,
} from "../../test-support/changing-messages.ts";
import { post } from "../../test-support/reading-messages.ts";

describe("PATCH /messages/{message_id}: resolved topics", () => {
  const scene = useScene();
  let owner: TestAccount;
  let mover: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    ({ owner, member: mover } = scene.org);
    room = await channel(scene.db, scene.org.realm, { subscribers: [owner, mover] });
  });

  const say = (topic = "lunch", by = owner) => post(scene.gateway, by, room, topic);
  const rename = (id: number, topic: string, by = mover, more = {}) =>
    change(scene, by, id, { topic, propagate_mode: "change_all", ...more });
  const said = async () =>
    (await read(scene, owner, room)).map(({ content, subject }) => [subject, content]);
  const words = (resolved: string) =>
    `@_**${mover.fullName}|${mover.id}** has marked this topic as ${resolved}.`;
  const soup = (topic: string) => [topic, "Soup?"];

  it("get a notice in the topic, and none about a move", async () => {
    const id = await say();
    const requestedForm = {
      send_notification_to_old_thread: true,
      send_notification_to_new_thread: true,
    };
    const events = await rename(id, "✔ lunch", mover, requestedForm);
    expect(events.map(({ type }) => type)).to.deep.equal([
      "update_message",
      "user_topic",
      "user_topic",
      "message",
    ]);
    expect(await said()).to.deep.equal([soup("✔ lunch"), ["✔ lunch", words("resolved")]]);
    const [message] = await read(scene, owner, room);
    // Only the resolved prefix has moved.
    expect(message?.edit_history).to.have.lengthOf(1);
    expect(message).not.to.have.property("last_moved_timestamp");
  });

  it("lose the notice if undone within a minute, and get another one later", async () => {
    const id = await say();
    await rename(id, "✔ lunch");
    const [, notice] = await read(scene, owner, room);
    const events = await rename(id, "lunch");
    expect(received(events, "message")).to.deep.equal([]);
    expect(received(events, "delete_message").map(({ payload }) => payload)).to.deep.equal([
      { message_ids: [notice?.id], message_type: "stream", stream_id: room.id, topic: "lunch" },
    ]);
    expect(await said()).to.deep.equal([soup("lunch")]);

    await rename(id, "✔ lunch");
    const [, second] = await read(scene, owner, room);
    await age(scene, second?.id ?? 0, 61);
    await rename(id, "lunch");
    expect(await said()).to.deep.equal([
      soup("lunch"),
      ["lunch", words("resolved")],
      ["lunch", words("unresolved")],
    ]);
  });

  it("keep messages of others that look like the notice", async () => {
    const id = await say();
    await post(scene.gateway, owner, room, "lunch", words("unresolved"));
    await rename(id, "✔ lunch");
    expect(await said()).to.have.lengthOf(3);
  });

  it("require the permission to resolve topics in the organization or the channel, without a time limit", async () => {
    const { db, org } = scene;
    const only = (...members: TestAccount[]) =>
      anonymousGroup(
        db,
        org.realm.id,
        members.map(({ id }) => id),
      );
    const id = await say();
    await age(scene, id, 700_000);
    await changeOrganization(db, org.realm, {
      canResolveTopicsGroupId: await only(org.moderator),
      canMoveMessagesBetweenTopicsGroupId: org.groups["role:owners"],
    });
    await subscribe(db, room, org.guest);
    for (const one of [mover, owner, org.guest])
      await changeRefused(scene, one, id, { topic: "✔ lunch" });
    await rename(id, "✔ lunch", org.moderator);
    await changeRefused(scene, mover, id, { topic: "lunch" });
    await changeRefused(scene, org.moderator, id, { topic: "dinner" });
    await changeChannel(db, room, { canResolveTopicsGroupId: await only(mover, org.guest) });
    await rename(id, "lunch");
    await rename(id, "✔ lunch", org.guest);
    await changeOrganization(db, org.realm, {
      canResolveTopicsGroupId: org.groups["role:everyone"],
      canMoveMessagesBetweenTopicsGroupId: org.groups["role:everyone"],
    });
  });

  it("have a notice that is read for the caller, and for others by their settings", async () => {
    const { db, org } = scene;
    const wanting = async (policy: string | undefined, follows: boolean) => {
      const person = await user(db, org.realm);
      await subscribe(db, room, person);
      if (policy)
        await changeSettings(db, person, { resolved_topic_notice_auto_read_policy: policy });
      if (follows) await setTopicPolicy(db, person, room, "lunch", "followed");
      return person;
    };
    const people = {
      never: await wanting("never", false),
      always: await wanting("always", true),
      following: await wanting("except_followed", true),
      standard: await wanting(undefined, false),
      standardFollowing: await wanting(undefined, true),
    };
    const id = await say();
    const events = await rename(id, "✔ lunch");
    const notice = (await read(scene, owner, room)).at(-1)?.id ?? 0;
    const flags: Record<string, number | undefined> = {};
    for (const [name, person] of Object.entries({ ...people, mover }))
      flags[name] = await flagsOf(scene, person, notice);
    expect(flags).to.deep.equal({
      never: 0,
      always: 1,
      following: 0,
      standard: 1,
      standardFollowing: 0,
      mover: 1,
    });
    const message = events.find(({ type }) => type === "message");
    expect(message?.payload["flags"]).to.deep.equal(["read"]);
    expect(Object.entries(message?.userData ?? {})).to.include.deep.members(
      [owner, people.never, people.following, people.standardFollowing].map((one) => [
        String(one.id),
        { flags: [] },
      ]),
    );
  });

  it("are truncated to the length of a topic", async () => {
    const long = "x".repeat(60);
    const id = await say(long);
    await rename(id, `✔ ${long}`);
    expect((await said()).at(-1)).to.deep.equal([`✔ ${"x".repeat(55)}...`, words("resolved")]);
  });

  it("can be deleted like other topics", async () => {
    await rename(await say(), "✔ lunch");
    await scene
      .as(owner)
      .succeed(deleteTopic, { path: { stream_id: room.id }, params: { topic_name: "✔ Lunch" } });
    expect(await said()).to.deep.equal([]);
  });
});
