import { issueKeysAnew, reseal } from "@carillon/domain";
import { secretsOf, type Secrets } from "@carillon/model";
import {
  callsOf,
  channel,
  eventSubscription,
  makeCalls,
  mentionBot,
  testSite,
  useEndpoint,
  useScene,
  webhookBot,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "./test-support.ts";

describe("carillon webhook", () => {
  const scene = useScene();
  const endpoint = useEndpoint();
  let bot: TestAccount;

  const run = (...words: string[]) =>
    commandLineOn(scene.db.url, { PUBLIC_URL: "http://carillon.test" })(["webhook", ...words]);

  beforeEach(async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    bot = await webhookBot(scene, org.owner, endpoint.url);
    endpoint.answerWithStatus(404);
    for (let n = 0; n < 2; n++) await mentionBot(scene.as(org.member), bot, room, String(n));
    await makeCalls(db, bot);
  });

  const states = async () => (await callsOf(scene.db, bot)).map(({ state }) => state);

  it("list prints endpoints, and the calls that were given up", async () => {
    const { code, said } = await run("list");
    expect(code).to.equal(0);
    expect(said).to.match(
      new RegExp(
        `^${bot.id}  ${bot.fullName}  .*  failing  0 waiting  2 given up  .*status 404$`,
        "m",
      ),
    );
    const dead = await run("list", "--dead", "--json");
    const ids = dead.said
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; botId: number })
      .filter(({ botId }) => botId === bot.id);
    expect(ids).to.have.length(2);
  });

  it("retry makes calls wait again, by id or of a bot, once", async () => {
    const [first] = await callsOf(scene.db, bot);
    expect((await run("retry", String(first?.callId))).said).to.match(/^1 call made again/);
    expect(await states()).to.deep.equal(["waiting", "dead"]);
    expect((await run("retry", String(first?.callId))).said).to.match(/^Nothing was retried/);
    expect((await run("retry", "--bot", String(bot.id))).said).to.match(/^1 call made again/);
    expect(await states()).to.deep.equal(["waiting", "waiting"]);
    expect((await run("retry")).code).to.equal(2);
    expect((await run("retry", "x")).code).to.equal(2);
  });

  it("keeps its secrets when SECRET_KEY is changed, and gets others when it is lost", async () => {
    const { db } = scene;
    const { secrets } = testSite();
    const other = secretsOf("another secret key of forty characters!!");
    const shown = async (by: Secrets) => {
      const [row] = await db.rows<{ token: Buffer; secret: Buffer; old: Buffer }>(
        `SELECT token_sealed AS token, secret_sealed AS secret, old_secret_sealed AS old FROM bot_service
         WHERE bot_id = $1`,
        [bot.id],
      );
      if (!row) throw new Error("the bot has no endpoint");
      return [row.token, row.secret, ...(row.old ? [row.old] : [])].map((one) => by.open(one));
    };
    await scene
      .as(scene.org.owner)
      .post(`/api/v1/bots/${bot.id}/webhook/rotate`, { which: "signing_secret" });
    const before = await shown(secrets);
    expect(before).to.have.length(3);
    await reseal(db, secrets, other);
    expect(await shown(other)).to.deep.equal(before);
    await reseal(db, other, secrets);
    expect(await shown(secrets)).to.deep.equal(before);
    const work = db.transaction(async (tx) => {
      await issueKeysAnew(tx, secrets);
      const [anew] = await tx.rows<{ token: Buffer }>(
        "SELECT token_sealed AS token FROM bot_service WHERE bot_id = $1 AND old_secret_sealed IS NULL",
        [bot.id],
      );
      if (!anew) throw new Error("the bot has no endpoint");
      expect(secrets.open(anew.token)).not.to.equal(before[0]);
      throw new Error("the keys stay");
    });
    await work.catch((error: Error) => expect(error.message).to.equal("the keys stay"));
  });

  it("disable deactivates the bot, and no other account", async () => {
    expect((await run("disable", String(scene.org.member.id))).code).to.equal(2);
    const { code, said } = await run("disable", bot.deliveryEmail);
    expect(code).to.equal(0);
    expect(said).to.include("gets no more calls");
    const row = await scene.db.prisma.user.findUniqueOrThrow({ where: { id: bot.id } });
    expect(row.isActive).to.equal(false);
  });

  it("list prints event subscriptions, which retry and disable change", async () => {
    const { id, secret, read } = await eventSubscription(scene, bot, endpoint.url);
    const { said } = await run("list");
    expect(said).to.match(
      new RegExp(
        `^subscription ${id}  ${bot.fullName}  .*  active  \\d+ behind  never called$`,
        "m",
      ),
    );
    expect((await run("disable", "--subscription", String(id))).code).to.equal(0);
    expect(await read()).to.include({
      state: "disabled",
      state_reason: "disabled by an operator",
    });
    expect((await run("retry", "--subscription", String(id))).code).to.equal(0);
    expect((await read()).state).to.equal("active");
    for (const words of [
      ["retry", "--subscription", "999999999"],
      ["retry", "--subscription", "x"],
      ["retry", "--subscription", String(id), "--bot", String(bot.id)],
      ["disable", "--subscription", "999999999"],
      ["disable"],
    ])
      expect((await run(...words)).code, words.join(" ")).not.to.equal(0);
    expect((await read()).state).to.equal("active");
    const sealed = async () => {
      const [row] = await scene.db.rows<{ secret: Uint8Array }>(
        "SELECT secret_sealed AS secret FROM event_subscription WHERE id = $1",
        [id],
      );
      return row?.secret ?? new Uint8Array();
    };
    const [from, to] = [testSite().secrets, secretsOf("k".repeat(32))];
    await reseal(scene.db, from, to);
    expect(to.open(await sealed())).to.equal(secret);
    await scene.db.transaction((tx) => issueKeysAnew(tx, from));
    expect(from.open(await sealed()))
      .to.match(/^whsec_/)
      .and.not.to.equal(secret);
  });
});
