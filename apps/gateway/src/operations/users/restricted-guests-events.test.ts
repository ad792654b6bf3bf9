import {
  addSubscriptions,
  createScheduledMessage,
  createUser,
  deactivateUser,
  reactivateUser,
  removeSubscriptions,
  sendMessage,
  setEditTypingStatus,
  setTypingStatus,
  updatePresence,
  updateRealm,
  updateSettings,
  updateStatus,
  updateUser,
} from "@carillon/contract";
import {
  ascendingIds,
  bot,
  changeOrganization,
  channel,
  kindsOf,
  organization,
  type ReceivedEvent,
  roles,
  type TestAccount,
  type TestOrganization,
  unique,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  userGroup,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Events to guests outside can_access_all_users_group", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
    await changeOrganization(db, org.realm, {
      canAccessAllUsersGroupId: org.groups["role:members"],
    });
  });

  const person = () => user(db, org.realm);
  const visitor = () => user(db, org.realm, { role: roles.guest });
  const roomOf = (...subscribers: TestAccount[]) => channel(db, org.realm, { subscribers });
  const join = (room: { name: string }, ...principals: TestAccount[]) =>
    gateway.as(org.owner).succeed(addSubscriptions, {
      params: {
        subscriptions: [{ name: room.name }],
        principals: principals.map(({ id }) => id),
        send_new_subscription_messages: false,
      },
    });
  const leave = (room: { name: string }, ...principals: TestAccount[]) =>
    gateway.as(org.owner).succeed(removeSubscriptions, {
      params: { subscriptions: [room.name], principals: principals.map(({ id }) => id) },
    });
  const change = (target: TestAccount, params: Readonly<Record<string, unknown>>) =>
    gateway.as(org.owner).succeed(updateUser, { path: { user_id: target.id }, params });

  /** The events of a guest and of a member, each with and without support for incomplete user lists. */
  const received = async (guest: TestAccount, work: () => Promise<unknown>) => {
    const params = { client_capabilities: { user_list_incomplete: true } };
    return watch(
      gateway,
      {
        guest: { account: guest, params },
        whole: { account: guest },
        member: { account: org.member },
      },
      work,
    );
  };
  const about = (events: readonly ReceivedEvent[], type: string) =>
    events.filter((event) => event.type === type);
  const peopleIn = (events: readonly ReceivedEvent[], op: string) =>
    about(events, "realm_user")
      .filter((event) => event.op === op)
      .map((event) => event["person"] as { user_id: number; full_name: string });
  const gainedIn = (events: readonly ReceivedEvent[]) =>
    peopleIn(events, "add").map(({ user_id }) => user_id);
  const lostIn = (events: readonly ReceivedEvent[]) =>
    peopleIn(events, "remove").map(({ user_id }) => user_id);

  it("contain an account before the subscription that makes it visible", async () => {
    const [guest, one, two] = [await visitor(), await person(), await person()];
    await gateway.as(one).succeed(updateStatus, { params: { status_text: "here" } });
    const room = await roomOf(one, two);
    const { guest: events, whole, member } = await received(guest, () => join(room, guest));
    for (const list of [events, whole]) {
      expect(gainedIn(list)).to.deep.equal(ascendingIds(one, two));
      expect(kindsOf(list)[0]).to.equal("realm_user/add");
      expect(about(list, "user_status")).to.deep.include.members([]);
      expect(
        about(list, "user_status").map(({ user_id, status_text }) => [user_id, status_text]),
      ).to.deep.equal([[one.id, "here"]]);
      expect(kindsOf(list).indexOf("realm_user/add")).to.be.below(
        kindsOf(list).indexOf("subscription/add"),
      );
    }
    expect(peopleIn(events, "add")[0]).to.include({ full_name: one.fullName, is_active: true });
    expect(about(member, "realm_user")).to.deep.equal([]);
  });

  it("contain subscribers of the guest's channels, and no account that is already visible", async () => {
    const [guest, one] = [await visitor(), await person()];
    const [room, other] = [await roomOf(guest), await roomOf(guest)];
    const first = await received(guest, () => join(room, one));
    expect(gainedIn(first.guest)).to.deep.equal([one.id]);
    const second = await received(guest, () => join(other, one));
    expect(about(second.guest, "realm_user")).to.deep.equal([]);
    const left = await received(guest, () => leave(room, one));
    expect(about(left.guest, "realm_user")).to.deep.equal([]);
    const last = await received(guest, () => leave(other, one));
    expect(peopleIn(last.guest, "remove")).to.deep.equal([
      { user_id: one.id, full_name: "Unknown user" },
    ]);
    expect(about(last.member, "realm_user")).to.deep.equal([]);
  });

  it("remove the accounts of a channel that the guest leaves, except in shared conversations", async () => {
    const [guest, one, two] = [await visitor(), await person(), await person()];
    const room = await roomOf(guest, one, two, await bot(db, org.owner));
    await gateway
      .as(two)
      .succeed(sendMessage, { params: { type: "direct", to: [guest.id], content: "Hi" } });
    const { guest: events } = await received(guest, () => leave(room, guest));
    expect(lostIn(events)).to.deep.equal([one.id]);
  });

  it("contain a new sender before the message, also for scheduled messages", async () => {
    const [guest, one, two, three] = [
      await visitor(),
      await person(),
      await person(),
      await person(),
    ];
    const write = (by: TestAccount, ...to: TestAccount[]) =>
      gateway.as(by).succeed(sendMessage, {
        params: { type: "direct", to: to.map(({ id }) => id), content: "Hi" },
      });
    const { guest: events, member } = await received(guest, () => write(one, guest, two));
    expect(gainedIn(events)).to.deep.equal(ascendingIds(one, two));
    expect(kindsOf(events).at(-1)).to.equal("message");
    expect(about(member, "realm_user")).to.deep.equal([]);
    const again = await received(guest, () => write(one, guest, two));
    expect(about(again.guest, "realm_user")).to.deep.equal([]);
    const alone = await received(guest, () => write(one, guest));
    expect(about(alone.guest, "realm_user")).to.deep.equal([]);
    const planned = await received(guest, () =>
      gateway.as(three).succeed(createScheduledMessage, {
        params: {
          type: "direct",
          to: [guest.id],
          content: "Later",
          scheduled_delivery_timestamp: 4_000_000_000,
        },
      }),
    );
    expect(gainedIn(planned.guest)).to.deep.equal([three.id]);
  });

  it("contain changes of visible accounts only", async () => {
    const [guest, seen, unseen] = [await visitor(), await person(), await person()];
    await roomOf(guest, seen);
    const changes: Array<(target: TestAccount) => Promise<unknown>> = [
      (target) => change(target, { full_name: unique("renamed") }),
      (target) => change(target, { role: roles.moderator }),
      (target) => change(target, { new_email: `${unique("moved")}@carillon.test` }),
    ];
    const own: Array<(target: TestAccount) => Promise<unknown>> = [
      (target) =>
        gateway.as(target).succeed(updateSettings, { params: { full_name: unique("self") } }),
      (target) =>
        gateway.as(target).succeed(updateSettings, { params: { timezone: "Europe/Berlin" } }),
      (target) =>
        gateway.as(target).succeed(updateSettings, { params: { email_address_visibility: 4 } }),
      (target) =>
        gateway.as(target).succeed(updateSettings, { params: { email_address_visibility: 1 } }),
      (target) => gateway.as(target).succeed(updateStatus, { params: { status_text: "busy" } }),
      (target) => gateway.as(target).succeed(updatePresence, { params: { status: "active" } }),
      (target) =>
        gateway.as(target).succeed(updateSettings, { params: { presence_enabled: false } }),
    ];
    for (const make of [...own, ...changes]) {
      const ofSeen = await received(guest, () => make(seen));
      const ofUnseen = await received(guest, () => make(unseen));
      const kinds = (events: readonly ReceivedEvent[]) =>
        kindsOf(events).filter((kind) => !kind.startsWith("user_group"));
      expect(kinds(ofSeen.guest), String(make)).not.to.deep.equal([]);
      expect(kinds(ofUnseen.guest), String(make)).to.deep.equal([]);
      expect(kinds(ofUnseen.whole), String(make)).to.deep.equal([]);
      expect(kinds(ofUnseen.member), String(make)).to.deep.equal(kinds(ofSeen.member));
    }
  });

  it("contain a placeholder for a new account, for clients that need one", async () => {
    const guest = await visitor();
    const name = unique("newcomer");
    const {
      guest: events,
      whole,
      member,
    } = await received(guest, () =>
      gateway.as(org.owner).succeed(createUser, {
        params: { email: `${name}@carillon.test`, full_name: name, password: unique("password") },
      }),
    );
    expect(about(events, "realm_user")).to.deep.equal([]);
    const [standIn] = peopleIn(whole, "add");
    const [made] = peopleIn(member, "add");
    expect(standIn).to.include({ full_name: "Unknown user", user_id: made?.user_id });
    expect(JSON.stringify(whole)).not.to.include(name);
    expect(made).to.include({ full_name: name });
  });

  it("remove deactivated accounts except in conversations, and add reactivated visible ones again", async () => {
    const [guest, peer, friend, stranger] = [
      await visitor(),
      await person(),
      await person(),
      await person(),
    ];
    const room = await roomOf(guest, peer);
    const group = await userGroup(db, org.realm, { members: [peer, friend, stranger] });
    await gateway
      .as(friend)
      .succeed(sendMessage, { params: { type: "direct", to: [guest.id], content: "Hi" } });
    const remove = (target: TestAccount) => () =>
      gateway.as(org.owner).succeed(deactivateUser, { path: { user_id: target.id } });
    const goesOutOfGroup = (events: readonly ReceivedEvent[], { id }: TestAccount) =>
      events.some(
        ({ type, op, group_id, user_ids }) =>
          type === "user_group" &&
          op === "remove_members" &&
          group_id === group.id &&
          (user_ids as number[]).includes(id),
      );

    const ofPeer = await received(guest, remove(peer));
    expect(lostIn(ofPeer.guest)).to.deep.equal([peer.id]);
    expect(peopleIn(ofPeer.guest, "update")).to.deep.equal([]);
    expect(goesOutOfGroup(ofPeer.guest, peer)).to.equal(true);
    expect(peopleIn(ofPeer.member, "update")).to.deep.equal([
      { user_id: peer.id, is_active: false },
    ]);
    expect(goesOutOfGroup(ofPeer.member, peer)).to.equal(false);

    const ofFriend = await received(guest, remove(friend));
    expect(peopleIn(ofFriend.guest, "update")).to.deep.equal([
      { user_id: friend.id, is_active: false },
    ]);
    const ofStranger = await received(guest, remove(stranger));
    expect(about(ofStranger.guest, "realm_user")).to.deep.equal([]);
    expect(goesOutOfGroup(ofStranger.guest, stranger)).to.equal(true);

    const back = (target: TestAccount) => () =>
      gateway.as(org.owner).succeed(reactivateUser, { path: { user_id: target.id } });
    const peerBack = await received(guest, back(peer));
    expect(gainedIn(peerBack.guest)).to.deep.equal([peer.id]);
    expect(peopleIn(peerBack.guest, "update")).to.deep.equal([]);
    const friendBack = await received(guest, back(friend));
    expect(peopleIn(friendBack.guest, "update")).to.deep.equal([
      { user_id: friend.id, is_active: true },
    ]);
    expect(about((await received(guest, back(stranger))).guest, "realm_user")).to.deep.equal([]);
    await leave(room, guest);
  });

  it("show all accounts to a guest who becomes a member, and remove them for a new guest", async () => {
    const [guest, peer, gone] = [await visitor(), await person(), await person()];
    await roomOf(guest, peer);
    await gateway.as(org.owner).succeed(deactivateUser, { path: { user_id: gone.id } });
    const up = await received(guest, () => change(guest, { role: roles.member }));
    const gained = gainedIn(up.guest);
    expect(gained).to.include.members([org.member.id, org.owner.id, gone.id]);
    expect(gained).not.to.include.oneOf([guest.id, peer.id, org.bot.id]);
    expect(peopleIn(up.guest, "update")).to.deep.include({ user_id: gone.id, is_active: false });
    const down = await received(guest, () => change(guest, { role: roles.guest }));
    expect(lostIn(down.guest)).to.have.members(gained);
    expect(about(down.member, "realm_user").map(({ op }) => op)).to.deep.equal(["update"]);
  });

  it("show all accounts when the permission becomes role:everyone, and remove them otherwise", async () => {
    const own = await organization(db);
    const peer = await user(db, own.realm);
    await channel(db, own.realm, { subscribers: [own.guest, peer] });
    const set = (group: "role:everyone" | "role:members") =>
      gateway.as(own.owner).succeed(updateRealm, {
        params: { can_access_all_users_group: { new: own.groups[group] } },
      });
    const all = ascendingIds(own.owner, own.admin, own.moderator, own.member);
    const shut = await received(own.guest, () => set("role:members"));
    expect(lostIn(shut.guest)).to.deep.equal(all);
    const opened = await received(own.guest, () => set("role:everyone"));
    expect(gainedIn(opened.guest)).to.deep.equal(all);
  });

  it("contain messages in their channels without the sender's name, and no typing events", async () => {
    const [guest, writer] = [await visitor(), await person()];
    const room = await roomOf(guest, writer);
    await unsubscribe(db, room.id, writer);
    const { guest: events } = await received(guest, async () => {
      await gateway.as(writer).succeed(setTypingStatus, {
        params: { op: "start", type: "stream", stream_id: room.id, topic: "hello" },
      });
      const { id } = await gateway.as(writer).succeed(sendMessage, {
        params: { type: "stream", to: room.id, topic: "hello", content: "Hi" },
      });
      await gateway.as(writer).succeed(setEditTypingStatus, {
        path: { message_id: id },
        params: { op: "start" },
      });
    });
    expect(kindsOf(events)).to.deep.equal(["message"]);
    const message = events[0]?.["message"] as Record<string, unknown>;
    expect(message).to.include({ sender_id: writer.id, sender_full_name: "Unknown user" });
    expect(JSON.stringify(events)).not.to.include(writer.fullName).and.not.to.include(writer.email);
  });

  it("lead to the state of the rows under concurrent changes", async () => {
    for (let round = 0; round < 4; round++) {
      const [guest, peer] = [await visitor(), await person()];
      const [one, two] = [await roomOf(guest, peer), await roomOf(guest)];
      const { guest: events } = await received(guest, () =>
        Promise.all([
          leave(one, peer),
          join(two, peer),
          gateway
            .as(peer)
            .succeed(sendMessage, { params: { type: "direct", to: [guest.id], content: "Hi" } }),
        ]),
      );
      const shifts = about(events, "realm_user").map(({ op }) => op);
      expect(shifts, kindsOf(events).join()).to.be.deep.oneOf([[], ["remove", "add"]]);
    }
  });
});
