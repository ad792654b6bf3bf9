import {
  addSubscriptions,
  createChannel,
  createUser,
  removeSubscriptions,
  sendInvites,
  updateRealm,
  updateUserGroupMembers,
} from "@carillon/contract";
import { unqueuedIntents } from "@carillon/outbox";
import { sendNotice } from "@carillon/jobs";
import { lockChannels } from "@carillon/model";
import {
  bot,
  browser,
  changeChannel,
  changeOrganization,
  channel,
  countWaiting,
  deactivateUser,
  inChannel,
  keyIn,
  messagesOf,
  newGroup,
  noticesTo,
  runJob,
  send,
  sentMails,
  type TestAccount,
  type TestChannel,
  toChannel,
  unique,
  user,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §4, §8, §11; people.md §2; scheduled-messages.md §6; user-groups.md §5.5
describe("Notices of the notification bot after the commit", () => {
  const scene = useScene();
  let received: TestAccount;
  let room: TestChannel;
  beforeEach(async () => {
    received = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.owner);
  });

  const waitingJobs = () =>
    unqueuedIntents(scene.db, { jobs: [sendNotice.name], olderThanMs: 0, limit: 100 });

  /** Runs them, each twice. */
  async function work(): Promise<void> {
    const intents = await waitingJobs();
    for (const { intentId, version } of [...intents, ...intents])
      await runJob(scene.db, sendNotice, { intentId, version });
    expect(await waitingJobs()).to.deep.equal([]);
  }
  const contentsTo = async (account: TestAccount) =>
    (await noticesTo(scene.as(account), scene.org.notificationBot)).map(({ content }) => content);
  const named = ({ id, fullName }: TestAccount) => `@_**${fullName}|${id}**`;

  describe("about subscriptions to channels", () => {
    const subscribe = (...names: string[]) =>
      scene.as(scene.org.owner).succeed(addSubscriptions, {
        params: { subscriptions: names.map((name) => ({ name })), principals: [received.id] },
      });
    const unsubscribe = (name: string) =>
      scene.as(received).succeed(removeSubscriptions, { params: { subscriptions: [name] } });
    const saying = (...names: string[]) =>
      [`${named(scene.org.owner)} subscribed you to:`, names.map((name) => `* ${name}`)]
        .flat()
        .join("\n\n")
        .replaceAll("\n\n* ", "\n* ");

    it("are one direct message with the channels' names, in alphabetical order", async () => {
      const other = await channel(scene.db, scene.org.owner, { name: unique("Aardvarks") });
      await subscribe(room.name, other.name);
      await work();
      const [notice, ...more] = await noticesTo(scene.as(received), scene.org.notificationBot);
      expect(more).to.deep.equal([]);
      expect(notice).to.deep.include({ type: "private", flags: [] });
      const text = notice?.content.replaceAll(/\n+/g, "\n");
      expect(text).to.equal(saying(other.name, room.name).replaceAll(/\n+/g, "\n"));
    });

    it("are one message for each request", async () => {
      await subscribe(room.name);
      await unsubscribe(room.name);
      await subscribe(room.name);
      await work();
      expect(await contentsTo(received)).to.have.length(2);
    });

    it("name only current subscriptions, by their current names, including private channels", async () => {
      const [left, archived, closed] = [
        await channel(scene.db, scene.org.owner),
        await channel(scene.db, scene.org.owner),
        await channel(scene.db, scene.org.owner),
      ];
      await subscribe(room.name, left.name, archived.name, closed.name);
      await unsubscribe(left.name);
      await changeChannel(scene.db, archived, { isArchived: true });
      const row = { inviteOnly: true, historyPublicToSubscribers: false };
      await changeChannel(scene.db, closed, row);
      const name = unique("renamed");
      await changeChannel(scene.db, room, { name });
      await work();
      const [text] = await contentsTo(received);
      expect(text).to.include(name).and.to.include(closed.name);
      for (const gone of [left, archived, room]) expect(text).not.to.include(gone.name);
    });

    it("are not sent if the account has left all of them or is deactivated", async () => {
      await subscribe(room.name);
      await unsubscribe(room.name);
      await work();
      expect(await contentsTo(received)).to.deep.equal([]);
      await subscribe(room.name);
      const before = await scene.db.prisma.message.count();
      await deactivateUser(scene.db, received);
      await work();
      expect(await scene.db.prisma.message.count()).to.equal(before);
    });

    it("are sent even if the acting account was deactivated meanwhile", async () => {
      const { db, org } = scene;
      const actor = await user(db, org.realm);
      await scene.as(actor).succeed(addSubscriptions, {
        params: { subscriptions: [{ name: room.name }], principals: [received.id] },
      });
      await deactivateUser(db, actor);
      await work();
      expect(await contentsTo(received)).to.have.length(1);
    });
  });

  describe("about a new channel", () => {
    let announcements: TestChannel;
    beforeEach(async () => {
      const { db, org } = scene;
      announcements = await channel(db, org.owner, { subscribers: [received] });
      await scene.as(org.admin).succeed(updateRealm, {
        params: { new_stream_announcements_stream_id: announcements.id },
      });
    });
    const create = async (name = unique("brand new")) => {
      const params = { name, subscribers: [], announce: true };
      const { id } = await scene.as(scene.org.owner).succeed(createChannel, { params });
      return { id, name };
    };
    const posted = () => messagesOf(scene.as(received), inChannel(announcements.id));

    it("are one message in the organization's channel for announcements, with a link", async () => {
      const { name } = await create();
      await work();
      const [notice, ...more] = await posted();
      expect(more).to.deep.equal([]);
      expect(notice).to.deep.include({ subject: "new channels", flags: [] });
      expect(notice?.sender_id).to.equal(scene.org.notificationBot.id);
      expect(notice?.content).to.equal(
        `${named(scene.org.owner)} created the channel #**${name}**.`,
      );
    });

    it("have the empty topic if that channel allows no other", async () => {
      await changeChannel(scene.db, announcements, { topicsPolicy: "empty_topic_only" });
      await create();
      await work();
      expect((await posted()).map(({ subject }) => subject)).to.deep.equal([""]);
    });

    it("have the channel's current name", async () => {
      const { id } = await create();
      const name = unique("renamed");
      await changeChannel(scene.db, id, { name });
      await work();
      expect((await posted())[0]?.content).to.include(`#**${name}**`);
    });

    it("are not sent if the channel has become private or archived", async () => {
      for (const row of [
        { inviteOnly: true, historyPublicToSubscribers: false },
        { isArchived: true },
      ]) {
        const { id } = await create();
        await changeChannel(scene.db, id, row);
        await work();
      }
      expect(await posted()).to.deep.equal([]);
    });

    it("are not sent if the channel becomes private during the job", async () => {
      const { id } = await create();
      const intents = await waitingJobs();
      const run = () =>
        intents.map(({ intentId, version }) => runJob(scene.db, sendNotice, { intentId, version }));
      let job: Promise<unknown> | undefined;
      await scene.db.transaction(async (tx) => {
        await lockChannels(tx, [id]);
        job = Promise.all(run());
        await waitFor(async () => (await countWaiting(scene.db.pool)) === 1, {
          what: "the job waits for the channel",
        });
        const data = { inviteOnly: true, historyPublicToSubscribers: false };
        await (await tx.prisma()).channel.update({ where: { id }, data });
      });
      await job;
      expect(await posted()).to.deep.equal([]);
    });

    it("are not sent if the channel for announcements is unset or archived", async () => {
      const { db, org } = scene;
      await create();
      await changeChannel(db, announcements, { isArchived: true });
      await work();
      await changeChannel(db, announcements, { isArchived: false });
      await create();
      await changeOrganization(db, org.realm, { newStreamAnnouncementsChannelId: null });
      await work();
      expect(await posted()).to.deep.equal([]);
    });

    it("are sent to the current channel for announcements", async () => {
      const { db, org } = scene;
      const other = await channel(db, org.owner, { subscribers: [received] });
      await create();
      await changeOrganization(db, org.realm, { newStreamAnnouncementsChannelId: other.id });
      await work();
      expect(await posted()).to.deep.equal([]);
      expect(await messagesOf(scene.as(received), inChannel(other.id))).to.have.length(1);
    });
  });

  describe("about a new person", () => {
    let announcements: TestChannel;
    beforeEach(async () => {
      const { db, org } = scene;
      announcements = await channel(db, org.owner, { subscribers: [received] });
      await scene.as(org.admin).succeed(updateRealm, {
        params: { signup_announcements_stream_id: announcements.id },
      });
    });
    const newcomer = () => ({
      email: `${unique("new")}@carillon.test`,
      full_name: unique("Newcomer"),
      password: "four quiet herons drink",
    });
    const create = async () => {
      const params = newcomer();
      const { user_id: id } = await scene.as(scene.org.owner).succeed(createUser, { params });
      return { id, name: params.full_name };
    };
    /** Joins by a mailed invitation. */
    const join = async () => {
      const { email, ...fields } = newcomer();
      await scene.as(scene.org.owner).succeed(sendInvites, {
        params: { invitee_emails: email, stream_ids: [] },
      });
      const mail = (await sentMails(scene.db)).find(({ to }) => to === email);
      const path = `/join/${keyIn(mail?.text)}/`;
      expect((await browser(scene.gateway).submit(path, fields)).status).to.equal(303);
      return { name: fields.full_name };
    };
    const posted = () => messagesOf(scene.as(received), inChannel(announcements.id));

    it("are one message in the organization's channel for sign-ups, however the person came", async () => {
      const people = [await create(), await join()];
      await work();
      const notices = await posted();
      expect(notices.map(({ content }) => content.replace(/\|\d+/, ""))).to.deep.equal(
        people.map(({ name }) => `@_**${name}** joined the organization.`),
      );
      for (const notice of notices) {
        expect(notice).to.deep.include({ subject: "signups", flags: [] });
        expect(notice.sender_id).to.equal(scene.org.notificationBot.id);
      }
    });

    it("have the empty topic if that channel allows no other", async () => {
      await changeChannel(scene.db, announcements, { topicsPolicy: "empty_topic_only" });
      await create();
      await work();
      expect((await posted()).map(({ subject }) => subject)).to.deep.equal([""]);
    });

    it("are not sent if the person is deactivated meanwhile, or the channel unset or archived", async () => {
      const { db, org } = scene;
      const { id } = await create();
      await deactivateUser(db, { id });
      await work();
      await create();
      await changeChannel(db, announcements, { isArchived: true });
      await work();
      await changeChannel(db, announcements, { isArchived: false });
      await create();
      await scene.as(org.admin).succeed(updateRealm, {
        params: { signup_announcements_stream_id: -1 },
      });
      await work();
      await create();
      await work();
      expect(await posted()).to.deep.equal([]);
    });
  });

  describe("about a bot that posts to a channel without subscribers", () => {
    let robot: TestAccount;
    beforeEach(async () => {
      robot = await bot(scene.db, received);
    });

    it("are a direct message to the bot's owner, with the channel's current name", async () => {
      await send(scene.as(robot), toChannel(room.id));
      const name = unique("renamed");
      await changeChannel(scene.db, room, { name });
      await work();
      const [text, ...more] = await contentsTo(received);
      expect(more).to.deep.equal([]);
      expect(text).to.include(named(robot)).and.to.include(name);
    });

    it("are not sent if the owner was deactivated meanwhile", async () => {
      await send(scene.as(robot), toChannel(room.id));
      await deactivateUser(scene.db, received);
      const before = await scene.db.prisma.message.count();
      await work();
      expect(await scene.db.prisma.message.count()).to.equal(before);
    });
  });

  describe("about additions to a user group", () => {
    const add = async (members: readonly TestAccount[]) => {
      const { gateway, org } = scene;
      const id = await newGroup(gateway, org.owner, { name: unique("bells") });
      await scene.as(org.owner).succeed(updateUserGroupMembers, {
        path: { user_group_id: id },
        params: { add: members.map((each) => each.id) },
      });
      return id;
    };

    it("have the group's current name, and are not sent to deactivated accounts", async () => {
      const { db, org } = scene;
      const gone = await user(db, org.realm);
      const id = await add([received, gone]);
      const name = unique("renamed");
      await db.rows("UPDATE named_user_group SET name = $2 WHERE id = $1", [id, name]);
      await deactivateUser(db, gone);
      const before = await db.prisma.message.count();
      await work();
      expect(await db.prisma.message.count()).to.equal(before + 1);
      const owner = named(org.owner);
      expect(await contentsTo(received)).to.deep.equal([
        `${owner} added you to the user group @_*${name}*.`,
      ]);
    });
  });
});
