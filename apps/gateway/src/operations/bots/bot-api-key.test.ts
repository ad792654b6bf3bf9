import { getBotApiKey, getOwnUser, regenerateBotApiKey } from "@carillon/contract";
import {
  bot,
  deactivateUser,
  eventsOf,
  organization,
  refused,
  useDatabase,
  useGateway,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("API keys of bots", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const ask = (by: TestAccount, botId: number) =>
    gateway.as(by).call(getBotApiKey, { path: { bot_id: botId } });
  const change = (by: TestAccount, botId: number) =>
    gateway.as(by).call(regenerateBotApiKey, { path: { bot_id: botId } });
  const status = async (account: TestAccount, apiKey = account.apiKey) =>
    (await gateway.as({ email: account.deliveryEmail, apiKey }).call(getOwnUser)).status;

  it("shows and regenerates the key for the owner and administrators", async () => {
    const robot = await bot(db, org.member);
    let current = robot.apiKey;
    for (const by of [org.member, org.admin, org.owner]) {
      expect((await ask(by, robot.id)).body.api_key).to.equal(current);
      const { result } = await eventsOf(db, org.realm.id, () => change(by, robot.id));
      expect(result.body.api_key).not.to.equal(current);
      expect(await status(robot, current)).to.equal(401);
      current = result.body.api_key;
      expect(await status(robot, current)).to.equal(200);
      expect((await ask(by, robot.id)).body.api_key).to.equal(current);
    }
    const audit = await db.prisma.auditLog.findMany({
      where: { modifiedUserId: robot.id, eventType: "user_api_key_changed" },
      orderBy: { id: "asc" },
    });
    expect(audit.map(({ actingUserId }) => actingUserId)).to.deep.equal([
      org.member.id,
      org.admin.id,
      org.owner.id,
    ]);
  });

  it("shows and regenerates the key of a deactivated bot, which still cannot authenticate", async () => {
    const robot = await bot(db, org.member);
    await deactivateUser(db, robot);
    expect((await ask(org.member, robot.id)).body.api_key).to.equal(robot.apiKey);
    const { api_key } = (await change(org.member, robot.id)).body;
    expect(api_key).not.to.equal(robot.apiKey);
    expect(await status(robot, api_key)).to.equal(401);
  });

  it("refuses other callers, and keys of people and unknown accounts", async () => {
    const elsewhere = await organization(db);
    const robot = await bot(db, org.member);
    const powerful = await bot(db, org.member, { row: { canCreateUsers: true } });
    const refusals: [TestAccount, number, string][] = [
      [org.moderator, robot.id, "BAD_REQUEST"],
      [org.guest, robot.id, "BAD_REQUEST"],
      [robot, robot.id, "BAD_REQUEST"],
      [org.admin, org.member.id, "BAD_REQUEST"],
      [org.admin, elsewhere.bot.id, "BAD_REQUEST"],
      [elsewhere.owner, robot.id, "BAD_REQUEST"],
      [org.admin, 2 ** 52, "BAD_REQUEST"],
      [org.member, powerful.id, "UNAUTHORIZED_PRINCIPAL"],
      [org.admin, powerful.id, "UNAUTHORIZED_PRINCIPAL"],
    ];
    for (const [by, botId, code] of refusals)
      for (const call of [ask, change]) await refused(db, () => call(by, botId), code, {});
    expect((await ask(org.owner, powerful.id)).body.api_key).to.equal(powerful.apiKey);
    for (const account of [robot, powerful, elsewhere.bot])
      expect(await status(account)).to.equal(200);
    for (const operation of [getBotApiKey, regenerateBotApiKey])
      await refused(
        db,
        () => gateway.anonymous.call(operation, { path: { bot_id: robot.id } }),
        "UNAUTHORIZED",
      );
  });
});
