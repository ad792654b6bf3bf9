import { getMessages, updateUserGroupMembers } from "@carillon/contract";
import { unqueuedIntents } from "@carillon/outbox";
import { sendNotice } from "@carillon/jobs";
import {
  deactivateUser,
  newGroup,
  organization,
  refused,
  runJob,
  useDatabase,
  useGateway,
  user,
  type Params,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Direct messages about memberships in user groups", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let id: number;
  beforeEach(async () => {
    org = await organization(db);
    id = await newGroup(gateway, org.owner, { name: "Bells", members: [org.guest.id] });
  });

  const change = (params: Params) =>
    gateway.as(org.owner).succeed(updateUserGroupMembers, { path: { user_group_id: id }, params });
  /** Runs every pending job, each twice. */
  const work = async () => {
    const intents = await unqueuedIntents(db, {
      jobs: [sendNotice.name],
      olderThanMs: 0,
      limit: 100,
    });
    for (const { intentId, version } of [...intents, ...intents])
      await runJob(db, sendNotice, { intentId, version });
    return intents.length;
  };
  /** The notification bot's messages to the account, oldest first. */
  const notices = async (account: TestAccount) => {
    const { messages } = await gateway.as(account).succeed(getMessages, {
      params: { anchor: "newest", num_before: 20, num_after: 0, apply_markdown: false },
    });
    return messages.filter(({ sender_id }) => sender_id === org.notificationBot.id);
  };

  it("are sent to added and removed accounts, once for each change, with silent mentions", async () => {
    await change({ add: [org.member.id, org.moderator.id], delete: [org.guest.id] });
    expect(await work()).to.equal(2);
    const owner = `@_**${org.owner.fullName}|${org.owner.id}**`;
    for (const [account, words] of [
      [org.member, "added you to"],
      [org.moderator, "added you to"],
      [org.guest, "removed you from"],
    ] as const) {
      const [notice, ...others] = await notices(account);
      expect(others).to.deep.equal([]);
      expect(notice).to.deep.include({ type: "private", flags: [] });
      expect(notice?.content).to.equal(`${owner} ${words} the user group @_*Bells*.`);
    }
  });

  it("are sent for both an addition and a removal in one request", async () => {
    await change({ add: [org.member.id], delete: [org.member.id] });
    await work();
    expect(await notices(org.member)).to.have.length(2);
  });

  it("are not sent to the caller, bots or members of subgroups", async () => {
    await change({ add: [org.owner.id, org.bot.id], add_subgroups: [org.groups["role:members"]] });
    expect(await work()).to.equal(0);
  });

  it("are not sent to accounts deactivated meanwhile", async () => {
    const person = await user(db, org.realm);
    await change({ add: [person.id, org.member.id] });
    await deactivateUser(db, person);
    await work();
    expect(await notices(org.member)).to.have.length(1);
    const copies = await db.prisma.userMessage.findMany({ where: { userId: person.id } });
    const messages = await db.prisma.message.findMany({
      where: {
        id: { in: copies.map(({ messageId }) => messageId) },
        content: { contains: "Bells" },
      },
    });
    expect(messages).to.deep.equal([]);
  });

  it("are not sent for refused requests", async () => {
    const asked = {
      path: { user_group_id: id },
      params: { add: [org.member.id], add_subgroups: [0] },
    };
    await refused(db, () => gateway.as(org.owner).call(updateUserGroupMembers, asked));
    expect(await work()).to.equal(0);
  });
});
