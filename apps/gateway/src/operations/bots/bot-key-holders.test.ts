import {
  deactivateBot,
  getBotApiKey,
  getEvents,
  getOwnUser,
  listBots,
  reactivateUser,
  regenerateBotApiKey,
  register,
  sendMessage,
  updateBot,
  updateUser,
} from "@carillon/contract";
import {
  announced,
  bot,
  channel,
  deactivateUser,
  eventsOf,
  refused,
  refusedWith,
  reload,
  roles,
  user,
  useScene,
  waitFor,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

/** A holder of a bot's key can act as that bot and post wherever its owner may. */
describe("Holders of a bot's key", () => {
  const scene = useScene();
  const { db } = scene;

  const keyOf = (by: TestAccount, botId: number) =>
    scene.as(by).call(getBotApiKey, { path: { bot_id: botId } });
  const withKey = (account: TestAccount, apiKey = account.apiKey) =>
    scene.gateway.as({ email: account.deliveryEmail, apiKey });
  const isKey = (account: TestAccount, apiKey?: string) =>
    withKey(account, apiKey).succeed(getOwnUser);
  const isNoKey = (account: TestAccount) =>
    refused(db, () => withKey(account).call(getOwnUser), "UNAUTHORIZED");
  const listed = async (by: TestAccount) =>
    (await scene.as(by).succeed(listBots)).bots.map(({ username }) => username);
  const administered = async (by: TestAccount): Promise<number[]> => {
    const params = { fetch_event_types: ["realm_bot"] };
    const state = await scene.as(by).succeed(register, { params });
    return (state as unknown as { realm_bots: { user_id: number }[] }).realm_bots.map(
      ({ user_id }) => user_id,
    );
  };
  const promote = (target: TestAccount, role: number) =>
    scene.as(scene.org.owner).call(updateBot, { path: { bot_id: target.id }, params: { role } });

  it("refuses all but owners, in every bot operation, if the bot has the owner role", async () => {
    const { owner, admin, member } = scene.org;
    const keeper = await user(db, scene.org.realm);
    const powerful = await bot(db, keeper, { role: roles.owner });
    for (const by of [admin, keeper])
      for (const operation of [getBotApiKey, regenerateBotApiKey, updateBot, deactivateBot])
        await refused(
          db,
          () => scene.as(by).call(operation, { path: { bot_id: powerful.id } }),
          "UNAUTHORIZED_PRINCIPAL",
        );
    const path = { user_id: powerful.id };
    for (const params of [{ role: roles.member }, { full_name: "Mine" }])
      await refused(
        db,
        () => scene.as(admin).call(updateUser, { path, params }),
        "UNAUTHORIZED_PRINCIPAL",
      );
    expect(await listed(keeper)).to.deep.equal([]);
    for (const by of [admin, keeper, member])
      expect(await administered(by)).not.to.include(powerful.id);
    expect(await administered(owner)).to.include(powerful.id);
    expect((await keyOf(owner, powerful.id)).body.api_key).to.equal(powerful.apiKey);
    await deactivateUser(db, powerful);
    await refused(
      db,
      () => scene.as(admin).call(reactivateUser, { path }),
      "UNAUTHORIZED_PRINCIPAL",
    );
    await scene.as(owner).succeed(reactivateUser, { path });
    await isKey(powerful);
  });

  for (const [operation, by] of [
    ["PATCH /bots/{id}", promote],
    [
      "PATCH /users/{id}",
      (target: TestAccount, role: number) =>
        scene
          .as(scene.org.owner)
          .call(updateUser, { path: { user_id: target.id }, params: { role } }),
    ],
  ] as const)
    it(`regenerates the key of a bot that gets the owner role by ${operation}, and removes it from the lists of others`, async () => {
      const { owner, admin, member, realm } = scene.org;
      const target = await bot(db, member);
      const { result, events } = await eventsOf(db, realm.id, () => by(target, roles.owner));
      expect(result.status).to.equal(200);
      await isNoKey(target);
      const gone = announced(events).find(
        ({ type, op }) => type === "realm_bot" && op === "delete",
      );
      expect(gone?.payload).to.deep.equal({ bot: { user_id: target.id } });
      expect(gone?.audience).to.include.members([admin.id, member.id]);
      expect(gone?.audience).not.to.include.oneOf([owner.id, target.id]);
      const fresh = (await keyOf(owner, target.id)).body.api_key;
      await isKey(target, fresh);

      const back = await eventsOf(db, realm.id, () => by(target, roles.member));
      const come = announced(back.events).find(
        ({ type, op }) => type === "realm_bot" && op === "add",
      );
      expect(come?.audience).to.include.members([admin.id, member.id]);
      expect(come?.audience).not.to.include(owner.id);
      expect((await keyOf(member, target.id)).body.api_key).to.equal(fresh);
    });

  it("keeps the key when the bot gets another name, a lower role or the same owner", async () => {
    const { owner, member } = scene.org;
    const target = await bot(db, member);
    const path = { bot_id: target.id };
    for (const params of [
      { role: 200 },
      { full_name: `Key Stays ${target.id}` },
      { bot_owner_id: member.id },
    ])
      await scene.as(owner).succeed(updateBot, { path, params });
    expect((await keyOf(owner, target.id)).body.api_key).to.equal(target.apiKey);
  });

  it("regenerates the keys of privileged bots when their owner stops being an organization owner", async () => {
    const { owner, realm } = scene.org;
    const second = await user(db, realm, { role: roles.owner });
    const powerful = await bot(db, second, { role: roles.owner });
    const creator = await bot(db, second, { canCreateUsers: true });
    const plain = await bot(db, second);
    const path = { user_id: second.id };
    await scene.as(owner).succeed(updateUser, { path, params: { role: roles.administrator } });
    for (const target of [powerful, creator]) await isNoKey(target);
    await isKey(plain);
    expect(await listed(second)).to.deep.equal([plain.deliveryEmail]);
  });

  it("regenerates the key of a bot that gets another owner, and ends its queues and polls", async () => {
    const { admin, member, owner, realm } = scene.org;
    const target = await bot(db, member);
    const secret = await channel(db, owner, { inviteOnly: true, subscribers: [owner] });
    const { queue_id } = await scene
      .as(target)
      .succeed(register, { params: { event_types: ["message"] } });
    const poll = scene.as(target).call(getEvents, { params: { queue_id, last_event_id: -1 } });
    await waitFor(() => scene.gateway.events.counters.waiting > 0, { what: "a poll" });
    await scene.as(admin).succeed(updateBot, {
      path: { bot_id: target.id },
      params: { bot_owner_id: owner.id },
    });
    refusedWith(await poll, "UNAUTHORIZED");
    expect(await db.prisma.eventQueue.count({ where: { userId: target.id } })).to.equal(0);
    const params = { type: "stream", to: secret.id, topic: "in", content: "I am here" };
    await refused(db, () => scene.as(target).call(sendMessage, { params }), "UNAUTHORIZED");
    const apiKey = (await keyOf(owner, target.id)).body.api_key;
    await scene.gateway
      .as({ email: target.deliveryEmail, apiKey })
      .succeed(sendMessage, { params });
    expect((await reload(db, target)).realmId).to.equal(realm.id);
  });

  it("regenerates the key of a bot that an administrator takes over by reactivating it", async () => {
    const { admin, realm } = scene.org;
    const gone = await user(db, realm);
    const target = await bot(db, gone);
    await deactivateUser(db, target);
    await deactivateUser(db, gone);
    await scene.as(admin).succeed(reactivateUser, { path: { user_id: target.id } });
    await isNoKey(target);
    const apiKey = (await keyOf(admin, target.id)).body.api_key;
    await isKey(target, apiKey);
  });
});
