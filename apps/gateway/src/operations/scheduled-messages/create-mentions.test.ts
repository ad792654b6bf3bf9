import {
  changeOrganization,
  channel,
  channelMessage,
  deactivateUser,
  directMessage,
  type Params,
  scheduleAndRead,
  scheduleRefused,
  succeeded,
  type TestAccount,
  type TestChannel,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Mentions in a scheduled message", () => {
  const scene = useScene();
  let crowd: TestAccount[];
  let fifteen: TestChannel;
  let sixteen: TestChannel;

  before(async () => {
    const { org, db } = scene;
    crowd = [];
    for (let i = 0; i < 16; i++) crowd.push(await user(db, org.realm));
    fifteen = await channel(db, org.realm, { subscribers: crowd.slice(0, 15) });
    sixteen = await channel(db, org.realm, { subscribers: crowd });
  });

  const allowed = (sender: TestAccount, room: TestChannel, content: string, over: Params = {}) =>
    scheduleAndRead(scene.as(sender), channelMessage(room.id, { content, ...over }));
  const refused = (
    sender: TestAccount,
    room: TestChannel,
    content: string,
    code: string,
    over: Params = {},
  ) => scheduleRefused(scene, sender, channelMessage(room.id, { content, ...over }), code);

  for (const word of ["all", "everyone", "channel", "stream"]) {
    it(`of ${word} are allowed up to 15 subscribers, and require a permission from 16 on`, async () => {
      const { member, admin } = scene.org;
      const content = `look @**${word}**`;
      const record = await allowed(member, fifteen, content);
      expect(record.rendered_content).to.contain("channel-wildcard-mention");
      await refused(member, sixteen, content, "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
      await allowed(admin, sixteen, content);
    });
  }

  it("of all are ignored if silent, quoted or in code", async () => {
    const { member } = scene.org;
    for (const content of [
      "@_**all**",
      "> @**all**",
      "`@**all**`",
      "```\n@**all**\n```",
      "x@**all**",
    ]) {
      await allowed(member, sixteen, content);
    }
  });

  it("of all count active subscribers and follow the organization's group", async () => {
    const { org, db } = scene;
    const room = await channel(db, org.realm, { subscribers: crowd });
    const extra = await user(db, org.realm);
    await changeOrganization(db, org.realm, {
      canMentionManyUsersGroupId: org.groups["role:members"],
    });
    await allowed(org.member, room, "@**all**");
    await changeOrganization(db, org.realm, {
      canMentionManyUsersGroupId: org.groups["role:administrators"],
    });
    await refused(org.member, room, "@**all**", "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
    const half = await channel(db, org.realm, { subscribers: [...crowd.slice(0, 15), extra] });
    await refused(org.member, half, "@**all**", "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
    await deactivateUser(db, extra);
    await allowed(org.member, half, "@**all**");
  });

  it("of a topic are allowed up to 15 participants, and require a permission from 16 on", async () => {
    const { org } = scene;
    const say = async (sender: TestAccount, topic: string) =>
      succeeded(
        await scene
          .as(sender)
          .post("/api/v1/messages", { type: "channel", to: sixteen.id, topic, content: "x" }),
      );
    for (const one of crowd) await say(one, "busy");
    for (const one of crowd.slice(0, 15)) await say(one, "quiet");
    const sender = crowd[0] ?? org.member;
    await refused(sender, sixteen, "@**topic**", "TOPIC_WILDCARD_MENTION_NOT_ALLOWED", {
      topic: "busy",
    });
    await refused(sender, sixteen, "@**topic**", "TOPIC_WILDCARD_MENTION_NOT_ALLOWED", {
      topic: "BUSY",
    });
    await allowed(sender, sixteen, "@**topic**", { topic: "quiet" });
    await allowed(sender, sixteen, "@**topic**", { topic: "never heard of" });
    await allowed(sender, sixteen, "@_**topic**", { topic: "busy" });
    await allowed(org.admin, sixteen, "@**topic**", { topic: "busy" });
  });

  it("of all require no permission in a direct message", async () => {
    const record = await scheduleAndRead(
      scene.as(scene.org.member),
      directMessage(
        crowd.map(({ id }) => id),
        { content: "@**all** @**topic**" },
      ),
    );
    expect(record.to).to.have.length(16);
  });

  it("of a user are rendered without a permission", async () => {
    const { member, guest } = scene.org;
    const record = await allowed(member, sixteen, `@**${guest.fullName}**`);
    expect(record.rendered_content).to.equal(
      `<p><span class="user-mention" data-user-id="${guest.id}">@${guest.fullName}</span></p>`,
    );
  });

  it("of a group require the permission to mention it, unless silent", async () => {
    const { org, db } = scene;
    const open = await userGroup(db, org.realm, { members: [org.guest] });
    const closed = await userGroup(db, org.realm, { members: [org.guest] });
    await db.rows("UPDATE named_user_group SET can_mention_group_id = $2 WHERE id = $1", [
      closed.id,
      org.groups["role:nobody"],
    ]);
    const record = await allowed(org.member, sixteen, `@*${open.name}*`);
    expect(record.rendered_content).to.contain(`data-user-group-id="${open.id}"`);
    await refused(org.member, sixteen, `@*${closed.name}*`, "BAD_REQUEST");
    await allowed(org.member, sixteen, `@_*${closed.name}*`);
  });
});
