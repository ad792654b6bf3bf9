import {
  getMessage,
  getMessages,
  getOwnUser,
  getPresence,
  getStatus,
  getUser,
  getUserByEmail,
  getUsers,
  listPresences,
  register,
  renderMessageText,
  createScheduledMessage,
  sendMessage,
  setTypingStatus,
  updatePresence,
  updateStatus,
} from "@carillon/contract";
import { hostOf } from "@carillon/model";
import {
  bot,
  changeOrganization,
  channel,
  countQueries,
  deactivateUser,
  directRecipient,
  organization,
  refused,
  refusedAlike,
  roles,
  subscribe,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Guests outside can_access_all_users_group", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  /** The accounts that the guest sees, with the reason. */
  let seen: Record<"self" | "peer" | "friend" | "gone friend" | "bot" | "gone bot", TestAccount>;
  /** The accounts hidden from the guest. */
  let unseen: Record<"stranger" | "past peer" | "gone peer" | "hidden", TestAccount>;
  let room: { id: number; name: string };
  before(async () => {
    org = await organization(db);
    await changeOrganization(db, org.realm, {
      canAccessAllUsersGroupId: org.groups["role:members"],
    });
    const { realm, guest } = org;
    const made = async () => user(db, realm);
    seen = {
      self: guest,
      peer: await made(),
      friend: await made(),
      "gone friend": await made(),
      bot: await bot(db, org.owner),
      "gone bot": await bot(db, org.owner, { isActive: false }),
    };
    unseen = {
      stranger: await made(),
      "past peer": await made(),
      "gone peer": await made(),
      hidden: await user(db, realm, { settings: { email_address_visibility: 4 } }),
    };
    room = await channel(db, org.owner, {
      subscribers: [guest, seen.peer, unseen["past peer"], unseen["gone peer"]],
    });
    await unsubscribe(db, room.id, unseen["past peer"]);
    await unsubscribe(db, room.id, org.owner);
    await directRecipient(db, realm.id, [guest, seen.friend]);
    await directRecipient(db, realm.id, [guest, seen["gone friend"], org.admin]);
    await directRecipient(db, realm.id, [unseen.stranger, org.owner]);
    await deactivateUser(db, seen["gone friend"]);
    await deactivateUser(db, unseen["gone peer"]);
    for (const each of [...Object.values(seen), ...Object.values(unseen)]) {
      if (each.isBot || each.id === unseen["gone peer"].id || each.id === seen["gone friend"].id)
        continue;
      await gateway.as(each).succeed(updatePresence, { params: { status: "active" } });
      await gateway.as(each).succeed(updateStatus, { params: { status_text: `I am ${each.id}` } });
    }
  });

  const ids = (accounts: Readonly<Record<string, TestAccount>>) =>
    Object.values(accounts).map(({ id }) => id);
  const asGuest = () => gateway.as(org.guest);
  const host = () => hostOf(gateway.services.site, org.realm);

  it("list the accounts of their channels and conversations, and bots", async () => {
    const { members } = await asGuest().succeed(getUsers);
    const listed = members.map(({ user_id }) => user_id);
    expect(listed).to.have.members([...ids(seen), org.bot.id, org.admin.id]);
    const asked = [...ids(seen), ...ids(unseen)];
    const some = await asGuest().succeed(getUsers, { params: { user_ids: asked } });
    expect(some.members.map(({ user_id }) => user_id)).to.have.members(ids(seen));
    const all = (await gateway.as(org.member).succeed(getUsers)).members;
    expect(all.map(({ user_id }) => user_id)).to.include.members(asked);
  });

  it("read visible accounts, and get the unknown-account error for others", async () => {
    const other = await organization(db);
    for (const { id } of Object.values(seen)) {
      const { user: found } = await asGuest().succeed(getUser, { path: { user_id: id } });
      expect(found.user_id).to.equal(id);
    }
    await refusedAlike(db, [...ids(unseen), 0, other.member.id], (user_id) =>
      asGuest().call(getUser, { path: { user_id } }),
    );
    for (const { email, id } of Object.values(seen)) {
      const { user: found } = await asGuest().succeed(getUserByEmail, { path: { email } });
      expect(found.user_id).to.equal(id);
    }
    const addresses = Object.values(unseen).flatMap(({ id, email, deliveryEmail }) => [
      email,
      deliveryEmail,
      `user${id}@${host()}`,
    ]);
    await refusedAlike(db, [...addresses, "nobody@carillon.test"], (email) =>
      asGuest().call(getUserByEmail, { path: { email } }),
    );
  });

  it("get no presence, status or picture of hidden accounts", async () => {
    const { peer } = seen;
    const { stranger } = unseen;
    await asGuest().succeed(getPresence, { path: { user_id_or_email: String(peer.id) } });
    for (const named of [String(stranger.id), stranger.email])
      await refused(db, () => asGuest().call(getPresence, { path: { user_id_or_email: named } }));
    await asGuest().succeed(getStatus, { path: { user_id: peer.id } });
    await refused(db, () => asGuest().call(getStatus, { path: { user_id: stranger.id } }));
    const { presences } = await asGuest().succeed(listPresences);
    expect(Object.keys(presences)).to.have.members([
      org.guest.email,
      peer.email,
      seen.friend.email,
    ]);
    const update = { status: "active", slim_presence: true, last_update_id: -1 };
    const own = await asGuest().succeed(updatePresence, { params: update });
    expect(Object.keys(own.presences ?? {}).map(Number)).to.have.members([
      org.guest.id,
      peer.id,
      seen.friend.id,
    ]);
    const picture = async (of: TestAccount) =>
      (await asGuest().send("GET", `/avatar/${of.id}`, { redirect: "manual" })).status;
    expect(await picture(peer)).to.equal(302);
    expect(await picture(stranger)).to.equal(200);
  });

  it("get a snapshot with placeholders for hidden accounts, unless the client needs none", async () => {
    const snapshot = async (user_list_incomplete: boolean) =>
      (await asGuest().succeed(register, {
        params: {
          fetch_event_types: ["realm_user", "presence", "user_status"],
          client_capabilities: { user_list_incomplete },
          slim_presence: true,
        },
      })) as unknown as Record<
        "realm_users" | "realm_non_active_users",
        Array<Record<string, unknown>>
      > &
        Record<"presences" | "user_status", Record<string, unknown>>;
    const idsIn = (users: Array<Record<string, unknown>>) => users.map(({ user_id }) => user_id);
    const short = await snapshot(true);
    expect(idsIn(short.realm_users)).to.have.members(
      [seen.self, seen.peer, seen.friend, seen.bot, org.bot, org.admin].map(({ id }) => id),
    );
    expect(idsIn(short.realm_non_active_users)).to.have.members([
      seen["gone friend"].id,
      seen["gone bot"].id,
    ]);
    const statuses = [org.guest.id, seen.peer.id, seen.friend.id].map(String);
    const whole = await snapshot(false);
    for (const { presences, user_status } of [short, whole]) {
      expect(Object.keys(presences)).to.have.members(statuses);
      expect(Object.keys(user_status)).to.have.members(statuses);
    }
    expect(whole.realm_non_active_users).to.deep.equal(short.realm_non_active_users);
    const { is_active: _active, ...standIn } = {
      user_id: unseen["gone peer"].id,
      email: `user${unseen["gone peer"].id}@${host()}`,
      delivery_email: null,
      full_name: "Unknown user",
      role: 400,
      is_active: true,
      is_bot: false,
      is_owner: false,
      is_admin: false,
      is_guest: false,
      is_imported_stub: false,
      timezone: "",
      date_joined: "1970-01-01T00:00+00:00",
      avatar_version: 1,
      avatar_url: `${gateway.services.site.url}/avatar/${unseen["gone peer"].id}?version=1`,
      profile_data: {},
    };
    expect(whole.realm_users).to.deep.include(standIn);
    const said = JSON.stringify(whole);
    for (const { fullName, deliveryEmail } of Object.values(unseen))
      expect(said).not.to.include(fullName).and.not.to.include(deliveryEmail);
  });

  it("read messages of hidden accounts without the sender's identity", async () => {
    const hub = await channel(db, org.owner, { subscribers: [org.guest, seen.peer] });
    const sent: number[] = [];
    for (const by of [seen.peer, unseen.stranger, seen.bot]) {
      await subscribe(db, hub.id, by);
      const params = { type: "stream", to: hub.id, topic: "hello", content: `from ${by.id}` };
      sent.push((await gateway.as(by).succeed(sendMessage, { params })).id);
    }
    await unsubscribe(db, hub.id, unseen.stranger);
    const { messages } = await asGuest().succeed(getMessages, {
      params: { message_ids: sent, client_gravatar: true },
    });
    const senders = messages.map(({ sender_id, sender_full_name, sender_email, avatar_url }) => ({
      sender_id,
      sender_full_name,
      sender_email,
      avatar_url,
    }));
    const { stranger } = unseen;
    expect(senders[1]).to.deep.equal({
      sender_id: stranger.id,
      sender_full_name: "Unknown user",
      sender_email: `user${stranger.id}@${host()}`,
      avatar_url: `${gateway.services.site.url}/avatar/${stranger.id}?version=1`,
    });
    expect(senders[0]).to.include({ sender_full_name: seen.peer.fullName, avatar_url: null });
    expect(senders[2]).to.include({ sender_full_name: seen.bot.fullName });
    const one = await asGuest().succeed(getMessage, { path: { message_id: sent[1] ?? 0 } });
    expect(one.message).to.include(senders[1]);
    const byMember = await gateway
      .as(org.member)
      .succeed(getMessage, { path: { message_id: sent[1] ?? 0 } });
    expect(byMember.message.sender_full_name).to.equal(stranger.fullName);

    const narrow = (operand: string | number) =>
      asGuest().call(getMessages, {
        params: {
          anchor: "newest",
          num_before: 5,
          num_after: 0,
          narrow: [{ operator: "sender", operand }],
        },
      });
    const { body } = await narrow(stranger.id);
    expect(body.messages.map(({ id }) => id)).to.deep.equal([sent[1]]);
    for (const address of [stranger.email, "nobody@carillon.test"])
      await refused(db, () => narrow(address), "BAD_NARROW");
  });

  it("cannot message, schedule to or send typing events to hidden accounts", async () => {
    const { stranger } = unseen;
    const content = "Psst";
    for (const to of [[stranger.id], [seen.peer.id, stranger.id], [2_147_483_647]]) {
      const direct = { type: "direct", to, content };
      await refused(db, () => asGuest().call(sendMessage, { params: direct }));
      await refused(db, () =>
        asGuest().call(createScheduledMessage, {
          params: { ...direct, scheduled_delivery_timestamp: 4_000_000_000 },
        }),
      );
      await refused(db, () =>
        asGuest().call(setTypingStatus, { params: { op: "start", type: "direct", to } }),
      );
    }
    await asGuest().succeed(sendMessage, {
      params: { type: "direct", to: [seen.peer.id, seen.friend.id], content },
    });
    await asGuest().succeed(sendMessage, {
      params: { type: "direct", to: [seen.bot.id], content },
    });
  });

  it("are all guests including bots, while the organization restricts them", async () => {
    const machine = await bot(db, org.owner, { role: roles.guest });
    const may = async (by: TestAccount, target: TestAccount) =>
      (await gateway.as(by).call(getUser, { path: { user_id: target.id } })).body.result ===
      "success";
    expect(await may(machine, unseen.stranger)).to.equal(false);
    expect(await may(machine, machine)).to.equal(true);
    const open = await organization(db);
    expect(await may(open.guest, open.member)).to.equal(true);
    for (const by of [org.owner, org.admin, org.moderator, org.member, org.bot])
      expect(await may(by, unseen.stranger)).to.equal(true);
    const own = await asGuest().succeed(getOwnUser);
    expect(own.full_name).to.equal(org.guest.fullName);
  });

  it("run the same number of statements for any number of visible accounts", async () => {
    const asked = () => countQueries(db, () => asGuest().succeed(getUsers));
    const few = await asked();
    for (let i = 0; i < 5; i++) {
      const peer = await user(db, org.realm);
      await channel(db, org.owner, { subscribers: [org.guest, peer] });
    }
    const many = await asked();
    expect(many.result.members.length).to.be.above(few.result.members.length);
    expect(many.count).to.equal(few.count);
  });

  it("mention visible accounts only; other names are treated as unknown", async () => {
    const named = (text: string, by: TestAccount) =>
      gateway.as(by).succeed(renderMessageText, { params: { content: text } });
    for (const [why, person] of Object.entries(seen)) {
      const { rendered } = await named(`@_**${person.fullName}** @_**|${person.id}**`, seen.self);
      expect(rendered.match(/data-user-id/g), why).to.have.length(2);
    }
    for (const [why, person] of Object.entries(unseen)) {
      for (const text of [
        `@**${person.fullName}**`,
        `@_**${person.fullName}|${person.id}**`,
        `@**|${person.id}**`,
      ]) {
        const { rendered } = await named(text, seen.self);
        expect(rendered, why).not.to.contain("data-user-id");
        const stranger = text
          .replace(person.fullName, "Nobody")
          .replace(String(person.id), "999999");
        const { rendered: ofNobody } = await named(stranger, seen.self);
        expect(
          rendered.replace(person.fullName, "Nobody").replace(String(person.id), "999999"),
          why,
        ).to.equal(ofNobody);
        expect((await named(text, org.member)).rendered, why).to.contain("data-user-id");
      }
    }
  });
});
