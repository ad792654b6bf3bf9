import type { ServerResponse } from "node:http";
import { publishJobsAfterCommit } from "@carillon/scheduling";
import { silentLogger } from "@carillon/kit";
import {
  calledWith,
  callsOf,
  channel,
  forEachBackend,
  mentionBot,
  organization,
  saidBy,
  startEndpoint,
  startGateway,
  startWorker,
  useDatabase,
  useEndpoint,
  useQueues,
  waitFor,
  webhookBot,
  type Gateway,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  type TestWorker,
} from "@carillon/testkit";
import { expect } from "chai";

forEachBackend("an outgoing webhook bot", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const endpoint = useEndpoint();
  let gateway: Gateway;
  let worker: TestWorker;
  let published: ReturnType<typeof publishJobsAfterCommit>;
  let org: TestOrganization;
  let room: TestChannel;

  before("start a gateway and a worker", async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.member] });
    gateway = await startGateway(db, { queues });
    worker = await startWorker(db, queues);
    published = publishJobsAfterCommit({ db, queues, log: silentLogger });
  });
  after(async () => {
    await gateway?.close();
    await worker?.close();
    await published?.close();
  });

  const newBot = (url = endpoint.url) =>
    webhookBot({ db, as: (account) => gateway.as(account) }, org.owner, url);
  const mention = (bot: TestAccount, content: string, topic = "lunch") =>
    mentionBot(gateway.as(org.member), bot, room, content, { topic });
  const answers = (bot: TestAccount, count: number) =>
    waitFor(
      async () => {
        const said = await saidBy(db, bot);
        return said.length >= count ? said : undefined;
      },
      { what: `${count} answers` },
    );

  it("answers a mention, again after a failure, and in the order of messages", async () => {
    const bot = await newBot();
    endpoint.answer((call, response) => {
      if (endpoint.calls.length === 1) {
        response.writeHead(503).end();
        return;
      }
      return { content: `heard ${calledWith(call)}` };
    });
    for (const word of ["one", "two", "three"]) await mention(bot, word);
    const said = await answers(bot, 3);
    expect(said.map(({ content }) => content)).to.deep.equal([
      "heard one",
      "heard two",
      "heard three",
    ]);
    const ids = endpoint.calls.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).to.equal(3);
    expect(ids[0]).to.equal(ids[1]);
    expect((await callsOf(db, bot)).map(({ state }) => state)).to.deep.equal([
      "done",
      "done",
      "done",
    ]);
  });

  it("answers although the endpoint of another bot hangs, which takes four calls at a time", async () => {
    const hanging = await startEndpoint();
    try {
      const open: ServerResponse[] = [];
      hanging.answer((_, response) => void open.push(response));
      const slow = await newBot(hanging.url);
      for (let n = 0; n < 30; n++) await mention(slow, "hang", `topic ${n}`);
      await waitFor(() => hanging.calls.length >= 4 || undefined, { what: "four calls" });
      const bot = await newBot();
      endpoint.answer(() => ({ content: "at once" }));
      await mention(bot, "quick");
      await answers(bot, 1);
      expect(hanging.calls).to.have.length(4);
      hanging.answer(() => ({ content: "late" }));
      for (const response of open) response.end('{"content": "late"}');
      await answers(slow, 30);
    } finally {
      await hanging.close();
    }
  });

  it("answers in many conversations at once, with four calls in progress at most", async () => {
    const bot = await newBot();
    let open = 0;
    let most = 0;
    endpoint.answer(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return { content: "done" };
    });
    const topics = Array.from({ length: 30 }, (_, n) => `topic ${n}`);
    await Promise.all(topics.map((topic) => mention(bot, "go", topic)));
    const said = await answers(bot, 30);
    expect(said.map(({ topic }) => topic)).to.have.members(topics);
    expect(most).to.be.within(1, 4);
  });
});
