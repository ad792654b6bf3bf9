import {
  createDrafts,
  createScheduledMessage,
  deactivateBot,
  updateDraft,
  editScheduledMessage,
  getBotApiKey,
  getMessages,
  getPresence,
  getStatus,
  getSubscriptionStatus,
  getUser,
  getUserChannels,
  muteUser,
  regenerateBotApiKey,
  removeSubscriptions,
  sendMessage,
  setTypingStatus,
  unmuteUser,
  updateBot,
  updateOwnProfile,
} from "@carillon/contract";
import {
  bot,
  changeOrganization,
  channel,
  deactivateUser,
  directRecipient,
  organization,
  profileField,
  refused,
  refusedAlike,
  roles,
  subscribe,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  type Answer,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

// users.md §2.1: IDs of hidden accounts are answered like unknown IDs.
describe("Guests outside can_access_all_users_group: IDs in requests", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: { id: number; name: string };
  let peer: TestAccount;
  /** An account that the guest sees at first and loses sight of. */
  let mate: TestAccount;
  let friend: TestAccount;
  /** Accounts hidden from the guest, in every state, and IDs unknown in the organization. */
  let nobodies: number[];
  let stranger: TestAccount;
  before(async () => {
    org = await organization(db);
    await changeOrganization(db, org.realm, {
      canAccessAllUsersGroupId: org.groups["role:members"],
    });
    const { realm, guest } = org;
    const made = () => user(db, realm);
    [peer, mate, friend, stranger] = [await made(), await made(), await made(), await made()];
    const [past, gone] = [await made(), await made()];
    room = await channel(db, org.owner, { subscribers: [guest, peer, mate, past, gone] });
    await unsubscribe(db, room.id, past);
    await unsubscribe(db, room.id, org.owner);
    await deactivateUser(db, gone);
    await directRecipient(db, realm.id, [guest, friend]);
    const elsewhere = await organization(db);
    const unseen = [stranger, past, gone, org.owner].map(({ id }) => id);
    nobodies = [...unseen, elsewhere.member.id, 2_147_483_647];
  });

  const asGuest = () => gateway.as(org.guest);

  /** The error message of each refusal; all must be equal. */
  const refusedAlikeEach = async (
    asks: Readonly<Record<string, (id: number) => Promise<Pick<Answer, "status" | "body">>>>,
    ids: readonly number[] = nobodies,
  ) => {
    for (const [what, ask] of Object.entries(asks)) {
      try {
        const words = await refusedAlike(db, ids, async (id) => {
          const { status, body } = await ask(id);
          // Some messages contain the requested ID.
          return { status, body: { ...body, msg: (body.msg ?? "").replaceAll(String(id), "ID") } };
        });
        expect(words, what).not.to.equal("");
      } catch (error) {
        throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
      }
    }
  };

  it("are refused like unused IDs by operations on one account", () =>
    refusedAlikeEach({
      account: (user_id) => asGuest().call(getUser, { path: { user_id } }),
      status: (user_id) => asGuest().call(getStatus, { path: { user_id } }),
      presence: (id) => asGuest().call(getPresence, { path: { user_id_or_email: String(id) } }),
      subscription: (user_id) =>
        asGuest().call(getSubscriptionStatus, { path: { user_id, stream_id: room.id } }),
      channels: (user_id) => asGuest().call(getUserChannels, { path: { user_id } }),
      muting: (muted_user_id) => asGuest().call(muteUser, { path: { muted_user_id } }),
      unmuting: (muted_user_id) => asGuest().call(unmuteUser, { path: { muted_user_id } }),
      bot: (bot_id) => asGuest().call(updateBot, { path: { bot_id }, params: { full_name: "X" } }),
      "end of a bot": (bot_id) => asGuest().call(deactivateBot, { path: { bot_id } }),
      "key of a bot": (bot_id) => asGuest().call(getBotApiKey, { path: { bot_id } }),
      "new key of a bot": (bot_id) => asGuest().call(regenerateBotApiKey, { path: { bot_id } }),
    }));

  it("are refused like unused IDs by messages to people", async () => {
    const content = "Psst";
    const own = await asGuest().succeed(createDrafts, {
      params: { drafts: [{ type: "private", to: [peer.id], topic: "", content }] },
    });
    const due = { scheduled_delivery_timestamp: 4_000_000_000 };
    const scheduled = await asGuest().succeed(createScheduledMessage, {
      params: { type: "direct", to: [peer.id], content, ...due },
    });
    await refusedAlikeEach({
      message: (id) =>
        asGuest().call(sendMessage, { params: { type: "direct", to: [id], content } }),
      "message to several": (id) =>
        asGuest().call(sendMessage, { params: { type: "direct", to: [peer.id, id], content } }),
      "scheduled message": (id) =>
        asGuest().call(createScheduledMessage, {
          params: { type: "direct", to: [id], content, ...due },
        }),
      "change of a scheduled message": (id) =>
        asGuest().call(editScheduledMessage, {
          path: { scheduled_message_id: scheduled.scheduled_message_id },
          params: { type: "direct", to: [id] },
        }),
      typing: (id) =>
        asGuest().call(setTypingStatus, { params: { op: "start", type: "direct", to: [id] } }),
      draft: (id) =>
        asGuest().call(createDrafts, {
          params: { drafts: [{ type: "private", to: [id], topic: "", content }] },
        }),
      "change of a draft": (id) =>
        asGuest().call(updateDraft, {
          path: { draft_id: own.ids[0] ?? 0 },
          params: { draft: { type: "private", to: [peer.id, id], topic: "", content } },
        }),
    });
  });

  it("are refused like unused IDs by profile fields of people", async () => {
    const field = await profileField(db, org.realm, { fieldType: 6 });
    const say = (...value: number[]) =>
      asGuest().call(updateOwnProfile, { params: { data: [{ id: field.id, value }] } });
    await refusedAlikeEach({ field: (id) => say(id), several: (id) => say(mate.id, id) });
    expect((await say(mate.id, friend.id)).body.result).to.equal("success");
    await unsubscribe(db, room.id, mate);
    expect((await say(friend.id)).body.result).to.equal("success");
    await refused(db, () => say(friend.id, mate.id));
    await subscribe(db, room.id, mate);
  });

  it("are kept in a draft from before the guest lost sight of the account", async () => {
    const about = (...to: number[]) => ({ type: "private", to, topic: "", content: "Psst" });
    const { ids } = await asGuest().succeed(createDrafts, { params: { drafts: [about(mate.id)] } });
    const change = (...to: number[]) =>
      asGuest().call(updateDraft, {
        path: { draft_id: ids[0] ?? 0 },
        params: { draft: about(...to) },
      });
    await unsubscribe(db, room.id, mate);
    expect((await change(mate.id, friend.id)).body.result).to.equal("success");
    await refused(db, () => change(mate.id, stranger.id));
    await subscribe(db, room.id, mate);
  });

  it("are accepted for unmuting an account that has become hidden", async () => {
    const path = { muted_user_id: mate.id };
    await asGuest().succeed(muteUser, { path });
    await unsubscribe(db, room.id, mate);
    await refusedAlikeEach(
      {
        muting: (muted_user_id) => asGuest().call(muteUser, { path: { muted_user_id } }),
      },
      [...nobodies, mate.id],
    );
    await asGuest().succeed(unmuteUser, { path });
    await refusedAlikeEach(
      {
        unmuting: (muted_user_id) => asGuest().call(unmuteUser, { path: { muted_user_id } }),
      },
      [...nobodies, mate.id],
    );
    await subscribe(db, room.id, mate);
  });

  it("are refused like unused IDs as owners of bots, and as accounts to unsubscribe", async () => {
    const { guest, groups } = org;
    const machine = await bot(db, guest, { role: roles.guest });
    const open = await channel(db, org.owner, {
      subscribers: [guest, peer],
      groups: { canRemoveSubscribersGroupId: groups["role:everyone"] },
    });
    await refusedAlikeEach({
      owner: (bot_owner_id) =>
        asGuest().call(updateBot, { path: { bot_id: machine.id }, params: { bot_owner_id } }),
      unsubscribing: (id) =>
        asGuest().call(removeSubscriptions, {
          params: { subscriptions: [open.name], principals: [id] },
        }),
    });
  });

  it("match no messages", async () => {
    const found = async (operator: string, operand: unknown) => {
      const { status, body } = await asGuest().call(getMessages, {
        params: {
          anchor: "newest",
          num_before: 5,
          num_after: 0,
          narrow: [{ operator, operand }],
        },
      });
      return JSON.stringify({ status, ...body, msg: "" });
    };
    for (const operator of ["sender", "dm", "dm-including"]) {
      const answers = new Set<string>();
      for (const id of [...nobodies, 2 ** 40])
        answers.add(await found(operator, operator === "sender" ? id : [id]));
      expect([...answers], operator).to.have.length(1);
    }
  });

  it("return no picture", async () => {
    const statuses = new Set<number>();
    for (const id of nobodies) {
      const answer = await asGuest().send("GET", `/avatar/${id}`, { redirect: "manual" });
      statuses.add(answer.status);
    }
    expect([...statuses]).to.have.length(1);
  });
});
