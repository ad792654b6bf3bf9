import {
  callsOf,
  channel,
  makeCalls,
  send,
  toChannel,
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
    endpoint.answer((_, response) => void response.writeHead(404).end());
    for (let n = 0; n < 2; n++)
      await send(
        scene.as(org.member),
        toChannel(room.id, { content: `@**${bot.fullName}** ${n}` }),
      );
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

  it("disable deactivates the bot, and no other account", async () => {
    expect((await run("disable", String(scene.org.member.id))).code).to.equal(2);
    const { code, said } = await run("disable", bot.deliveryEmail);
    expect(code).to.equal(0);
    expect(said).to.include("called no more");
    const row = await scene.db.prisma.user.findUniqueOrThrow({ where: { id: bot.id } });
    expect(row.isActive).to.equal(false);
  });
});
