import { channelPermissions } from "@carillon/contract";
import { RequestDeadline } from "@carillon/db";
import { unqueuedIntents } from "@carillon/outbox";
import { postNoticesOfChange, updateChannel } from "@carillon/domain";
import { sendNotice } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { lockAudiences, lockChannelRows, lockGroupGraph } from "@carillon/model";
import {
  changeOrganization,
  channel,
  countWaiting,
  inChannel,
  messagesOf,
  patchedChannel,
  runJob,
  send,
  subscribe,
  succeeded,
  toChannel,
  unique,
  userGroup,
  useScene,
  waitFor,
  type ChannelOverrides,
  type ChannelPatch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

/** The tags in order, without attributes that depend on IDs and names. */
const elements = (html: string): string[] =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));

// channels.md §9
describe("PATCH /streams/{stream_id}: notices in the channel", () => {
  const scene = useScene({ row: { enableSpectatorAccess: true } });
  const room = (overrides?: ChannelOverrides) =>
    channel(scene.db, scene.org.realm, {
      subscribers: [scene.org.owner, scene.org.member],
      ...overrides,
    });
  const read = (id: number, by: TestAccount = scene.org.owner) =>
    messagesOf(scene.as(by), inChannel(id));
  /** The notices of the change in an unspecified order. */
  const said = async (id: number, params: ChannelPatch) => {
    const before = await read(id);
    await patchedChannel(scene, id, params, scene.org.owner);
    return (await read(id)).slice(before.length).map(({ content }) => content);
  };
  const who = () => `@_**${scene.org.owner.fullName}|${scene.org.owner.id}**`;

  it("state the old and the new name", async () => {
    const { id } = await room({ name: "Tower" });
    expect(await said(id, { new_name: "Belfry" })).to.deep.equal([
      `${who()} renamed this channel from **Tower** to **Belfry**.`,
    ]);
  });

  it("state the old and the new description, or that there is none", async () => {
    const { id } = await room();
    const about = (from: string, to: string) =>
      `${who()} changed the description of this channel.\n\nOld description: ${from}\n\nNew description: ${to}`;
    expect(await said(id, { description: "Old bells." })).to.deep.equal([
      about("none", "Old bells."),
    ]);
    expect(await said(id, { description: "none" })).to.deep.equal([about("Old bells.", "none")]);
    expect(await said(id, { description: "" })).to.deep.equal([about("none", "none")]);
  });

  it("state a new privacy", async () => {
    const { id } = await room();
    const change = (from: string, to: string) => [
      `${who()} changed the privacy of this channel from ${from} to ${to}.`,
    ];
    expect(await said(id, { is_private: true })).to.deep.equal(
      change("public", "private with protected history"),
    );
    expect(await said(id, { history_public_to_subscribers: true })).to.deep.equal(
      change("private with protected history", "private with shared history"),
    );
    expect(await said(id, { is_private: false, is_web_public: true })).to.deep.equal(
      change("private with shared history", "web-public"),
    );
    expect(await said(id, { is_web_public: false })).to.deep.equal(change("web-public", "public"));
  });

  it("state a new retention period", async () => {
    const { id } = await room();
    const change = (from: string, to: string) => [
      `${who()} changed how long messages of this channel are kept from ${from} to ${to}.`,
    ];
    expect(await said(id, { message_retention_days: 30 })).to.deep.equal(
      change("what the organization says", "30 days"),
    );
    expect(await said(id, { message_retention_days: 1 })).to.deep.equal(change("30 days", "1 day"));
    expect(await said(id, { message_retention_days: "unlimited" })).to.deep.equal(
      change("1 day", "for ever"),
    );
  });

  it("state a new topics policy", async () => {
    const { id } = await room();
    const change = (from: string, to: string) => [
      `${who()} changed the topics of this channel from ${from} to ${to}.`,
    ];
    expect(await said(id, { topics_policy: "empty_topic_only" })).to.deep.equal(
      change("what the organization says", "none"),
    );
    expect(await said(id, { topics_policy: "disable_empty_topic" })).to.deep.equal(
      change("none", "required"),
    );
    expect(await said(id, { topics_policy: "allow_empty_topic" })).to.deep.equal(
      change("required", "optional"),
    );
  });

  it("state the names of groups that may send messages", async () => {
    const { db, org } = scene;
    const { id } = await room();
    const group = await userGroup(db, org.realm);
    const set = { direct_members: [org.member.id], direct_subgroups: [] };
    const send = (value: unknown) => ({ can_send_message_group: { new: value as number } });
    const change = (from: string, to: string) => [
      `${who()} changed who may send messages to this channel from ${from} to ${to}.`,
    ];
    expect(await said(id, send(org.groups["role:moderators"]))).to.deep.equal(
      change("Everyone, guests included", "Moderators, administrators included"),
    );
    expect(await said(id, send(group.id))).to.deep.equal(
      change("Moderators, administrators included", `@_*${group.name}*`),
    );
    expect(await said(id, send(set))).to.deep.equal(
      change(`@_*${group.name}*`, "certain people and groups"),
    );
  });

  it("are posted once for each change of a request", async () => {
    const { id } = await room();
    const params = {
      new_name: "All of it",
      description: "d",
      is_private: true,
      message_retention_days: 9,
      topics_policy: "allow_empty_topic",
      can_send_message_group: { new: scene.org.groups["role:members"] },
    };
    expect(await said(id, params)).to.have.length(6);
  });

  it("are not posted for unchanged values, the folder, default channels and other permissions", async () => {
    const { db, org } = scene;
    const { id, name, description } = await room();
    const folder = await db.prisma.channelFolder.create({
      data: { realmId: org.realm.id, name: "F" },
    });
    expect(await said(id, { folder_id: folder.id, is_default_stream: true })).to.deep.equal([]);
    for (const permission of Object.values(channelPermissions)) {
      if (permission.name === "can_send_message_group") continue;
      const change = { [permission.name]: { new: org.groups["role:owners"] } };
      expect(await said(id, change), permission.name).to.deep.equal([]);
    }
    expect(await said(id, { description, is_private: false })).to.deep.equal([]);
    expect(name).not.to.equal("");
  });

  it("are not posted if the organization has turned them off", async () => {
    const { db, org } = scene;
    const { id } = await room();
    await changeOrganization(db, org.realm, { sendChannelEventsMessages: false });
    try {
      expect(await said(id, { new_name: "Quietly" })).to.deep.equal([]);
    } finally {
      await changeOrganization(db, org.realm, { sendChannelEventsMessages: true });
    }
  });

  it("are posted by the notification bot, read for the caller and unread for others", async () => {
    const { id } = await room();
    await patchedChannel(scene, id, { new_name: "Who has read it?" }, scene.org.owner);
    const [own] = await read(id);
    expect(own).to.deep.include({
      sender_id: scene.org.notificationBot.id,
      subject: "channel events",
      flags: ["read"],
    });
    expect((await read(id, scene.org.member))[0]?.flags).to.deep.equal([]);
  });

  it("are posted even if no account may send any more", async () => {
    const { id } = await room({ isArchived: true });
    expect(await said(id, { description: "put away" })).to.have.length(1);
  });

  it("use the topic that the channel allows after the change", async () => {
    const { id } = await room();
    const topics = async (topics_policy: string) => {
      const before = await read(id);
      await patchedChannel(
        scene,
        id,
        { topics_policy, description: topics_policy },
        scene.org.owner,
      );
      return (await read(id)).slice(before.length).map(({ subject }) => subject);
    };
    expect(await topics("empty_topic_only")).to.deep.equal(["", ""]);
    expect(await topics("allow_empty_topic")).to.deep.equal(["channel events", "channel events"]);
  });

  it("are not delivered to accounts that gain sight of the channel, nor to non-subscribers of a private one", async () => {
    const { org } = scene;
    const { id } = await room({ inviteOnly: true, historyPublicToSubscribers: true });
    await patchedChannel(scene, id, { new_name: "Inside only" }, org.owner);
    expect(await read(id, org.admin)).to.deep.equal([]);
    await subscribe(scene.db, id, org.admin);
    expect(await read(id, org.admin)).to.have.length(1);
  });

  it("are left to a worker if posting fails, and the change remains", async () => {
    const { db, org } = scene;
    const { id } = await room({ name: "Before" });
    await db.rows(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`,
    );
    await db.rows(
      "CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    expect(await said(id, { new_name: "After" })).to.deep.equal([]);
    await db.rows("DROP FUNCTION refuse CASCADE");
    const jobs = [sendNotice.name];
    const [left, ...more] = await unqueuedIntents(db, { jobs, olderThanMs: 0, limit: 10 });
    expect(more).to.deep.equal([]);
    if (!left) throw new Error("nothing is left to do");
    await runJob(db, sendNotice, { intentId: left.intentId, version: left.version });
    expect((await read(id)).map(({ content }) => content)).to.deep.equal([
      `${who()} renamed this channel from **Before** to **After**.`,
    ]);
    expect((await read(id, org.member))[0]?.flags).to.deep.equal([]);
  });

  it("are left to a worker without an error if the request's deadline has passed, and the change remains", async () => {
    const { db, org } = scene;
    const { id } = await room();
    const newName = unique("Later");
    const kept = await db.transaction((tx) =>
      updateChannel(tx, org.owner, id, { newName, settings: {} }),
    );
    if (!kept) throw new Error("there is nothing to post");
    const request = new RequestDeadline();
    await db.transaction(async (holder) => {
      await lockAudiences(holder, [id]);
      const posting = postNoticesOfChange({ db: db.within(request), log: silentLogger }, kept);
      await waitFor(async () => (await countWaiting(db.pool)) === 1, { what: "it waits" });
      request.end(new Error("the time is over"), true);
      await posting;
    });
    expect(await read(id)).to.deep.equal([]);
    const { intentId, version } = kept;
    for (let times = 0; times < 2; times++) await runJob(db, sendNotice, { intentId, version });
    expect((await read(id)).map(({ content }) => content.includes(newName))).to.deep.equal([true]);
  });

  it("do not wait for locks of the organization's groups or of the channel's row", async () => {
    const { db, org } = scene;
    const { id } = await room();
    // The first message of a channel updates the channel's row.
    await send(scene.as(org.owner), toChannel(id));
    const kept = await db.transaction((tx) =>
      updateChannel(tx, org.owner, id, { newName: unique("Later"), settings: {} }),
    );
    if (!kept) throw new Error("there is nothing to post");
    await db.transaction(async (holder) => {
      await lockGroupGraph(holder, org.realm.id);
      await lockChannelRows(holder, [id]);
      await postNoticesOfChange({ db, log: silentLogger }, kept);
    });
    expect(await read(id)).to.have.length(2);
  });

  it("are posted once each for concurrent changes of the channel", async () => {
    const { id } = await room();
    const names = Array.from({ length: 6 }, () => unique("Turn"));
    await Promise.all(
      names.map((new_name) => patchedChannel(scene, id, { new_name }, scene.org.owner)),
    );
    const said = (await read(id)).map(({ content }) => / to \*\*(.*)\*\*\./.exec(content)?.[1]);
    expect(said).to.have.lengthOf(6).and.to.have.members(names);
  });

  describe("with names and descriptions that look like markup", () => {
    const hostile = [
      "x*. **Security:** [log in](https://evil.example) *",
      "[log in](https://evil.example)",
      "evil.example",
      "`x` ``` ~~~",
      "<b>x</b> &lt; 1. a",
      "@**all** :smile: $$x$$",
      "# heading > quote",
      "#**general** @_*role:members*",
    ];

    async function notices(text: string): Promise<Array<{ content: string; html: string }>> {
      const { id } = await room({ name: `${text} 1`, description: `${text} 1` });
      const change = { new_name: `${text} 2`, description: `${text}\n2` };
      await patchedChannel(scene, id, change, scene.org.owner);
      return scene.db.rows(
        `SELECT m.content, m.rendered_content AS html FROM messages m
         JOIN recipients r ON r.id = m.recipient_id WHERE r.channel_id = $1 ORDER BY m.id`,
        [id],
      );
    }

    it("show them as text", async () => {
      const harmless = (await notices("name")).map(({ html }) => elements(html));
      for (const text of hostile)
        for (const [i, { content, html }] of (await notices(text)).entries()) {
          expect(elements(html), html).to.deep.equal(harmless[i]);
          const preview = await scene
            .as(scene.org.member)
            .post("/api/v1/messages/render", { content });
          const rendered = String(succeeded(preview)["rendered"]);
          expect(rendered, content).not.to.match(/<a |<h1|<li|<blockquote|<img|emoji/);
        }
    });
  });
});
