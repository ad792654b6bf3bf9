import { reportMessage, reportTypes, updateRealm } from "@carillon/contract";
import {
  channel,
  organization,
  refused,
  refusedAlike,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { all, post, write } from "../../test-support/reading-messages.ts";

describe("POST /messages/{message_id}/report", () => {
  const scene = useScene();
  type Params = Readonly<Record<string, unknown>>;
  const ask = (by: TestAccount, message_id: number, params: Params) =>
    scene.as(by).call(reportMessage, { path: { message_id }, params });
  const refusal = async (by: TestAccount, id: number, params: Params, code = "BAD_REQUEST") =>
    (await refused(scene.db, () => ask(by, id, params), code)).msg;

  it("is refused because there is no moderation channel", async () => {
    const { owner, member, guest, realm } = scene.org;
    const room = await channel(scene.db, realm, { subscribers: [owner, guest] });
    const id = await post(scene.gateway, owner, room);
    for (const { key } of reportTypes)
      for (const by of [member, guest, owner])
        expect(await refusal(by, id, { report_type: key, description: "look" })).to.contain(
          "no channel for reports",
        );
  });

  it("refuses unknown report types, and requires a description for the type other", async () => {
    const { owner, member } = scene.org;
    const id = await write(scene.gateway, owner, [member]);
    for (const report_type of ["", "rude", "SPAM", '["spam"]'])
      await refusal(member, id, { report_type });
    await refusal(member, id, {}, "REQUEST_VARIABLE_MISSING");
    for (const description of [undefined, "", " \n"])
      expect(await refusal(member, id, { report_type: "other", description })).to.contain(
        "description is required",
      );
    const long = { report_type: "spam", description: "💧".repeat(1_001) };
    expect(await refusal(member, id, long)).to.contain("1000");
    const most = { report_type: "other", description: "💧".repeat(1_000) };
    expect(await refusal(member, id, most)).to.contain("no channel for reports");
  });

  it("does not reveal invisible messages", async () => {
    const { owner, admin, member, realm } = scene.org;
    const closed = await channel(scene.db, realm, { inviteOnly: true, subscribers: [owner] });
    const hidden = [
      await post(scene.gateway, owner, closed),
      await write(scene.gateway, owner, [member]),
      0,
      2 ** 53 - 1,
    ];
    await refusedAlike(scene.db, hidden, (id) => ask(admin, id, { report_type: "spam" }));
    const path = `/api/v1/messages/${hidden[0]}/report`;
    const anonymous = () => scene.gateway.anonymous.post(path, { report_type: "spam" });
    await refused(scene.db, anonymous, "UNAUTHORIZED");
  });

  describe("with a moderation channel", () => {
    let org: TestOrganization;
    let inbox: TestChannel;
    before(async () => {
      org = await organization(scene.db);
      inbox = await channel(scene.db, org.realm, {
        inviteOnly: true,
        subscribers: [org.moderator, org.owner],
      });
      const params = { moderation_request_channel_id: inbox.id };
      await scene.as(org.owner).succeed(updateRealm, { params });
    });
    const read = async () => (await all(scene.gateway, org.moderator)).messages;
    const reports = async () =>
      (await read()).filter(({ type, stream_id }) => type === "stream" && stream_id === inbox.id);

    it("writes reporter, reason, description, link and a quote without mentions there", async () => {
      const room = await channel(scene.db, org.realm, { subscribers: [org.member, org.guest] });
      const content = `@**all** <b>bad</b> \`\`\`\n@**${org.moderator.fullName}**`;
      await scene.as(org.owner).succeed(updateRealm, {
        params: { can_mention_many_users_group: { new: org.groups["role:everyone"] } },
      });
      const id = await post(scene.gateway, org.member, room, "lunch", content);
      const { body } = await ask(org.guest, id, {
        report_type: "harassment",
        description: "see @**all**",
      });
      expect(body).to.deep.equal({ result: "success", msg: "" });
      const [report, ...none] = await reports();
      expect(none).to.deep.equal([]);
      expect(report).to.include({
        sender_id: org.notificationBot.id,
        subject: `${org.member.fullName}'s moderation requests`,
      });
      const html = report?.content ?? "";
      expect(html).to.contain(org.guest.fullName).and.to.contain(org.member.fullName);
      expect(html).to.contain("Harassment").and.to.contain("see @**all**");
      expect(html).to.contain(`/near/${id}`);
      expect(html).to.contain("&lt;b&gt;bad&lt;/b&gt;");
      expect(report?.flags).not.to.include.members(["mentioned"]);
      expect(report?.flags).not.to.include.members(["stream_wildcard_mentioned"]);
    });

    it("reports direct messages", async () => {
      const id = await write(scene.gateway, org.member, [org.guest], "psst");
      const { body } = await ask(org.guest, id, { report_type: "spam" });
      expect(body).to.include({ result: "success" });
      expect(String((await reports()).at(-1)?.content)).to.contain("psst");
    });

    it("takes 20 reports of an account in an hour", async () => {
      const id = await write(scene.gateway, org.admin, [org.member], "again");
      for (let i = 0; i < 20; i++)
        expect((await ask(org.member, id, { report_type: "spam" })).status).to.equal(200);
      const refusing = () => ask(org.member, id, { report_type: "spam" });
      await refused(scene.db, refusing, "RATE_LIMIT_HIT", undefined, 429);
      expect((await ask(org.admin, id, { report_type: "spam" })).status).to.equal(200);
    });

    it("refuses reports once the channel is archived", async () => {
      await scene.as(org.owner).delete(`/api/v1/streams/${inbox.id}`);
      const id = await write(scene.gateway, org.admin, [org.guest]);
      expect(await refusal(org.guest, id, { report_type: "spam" })).to.contain(
        "no channel for reports",
      );
    });
  });
});
