import { lockKey } from "@carillon/db";
import { conversationKey } from "@carillon/domain";
import { callWebhook } from "@carillon/jobs";
import { hostOf } from "@carillon/model";
import {
  ageCalls,
  calledWith,
  callsOf,
  channel,
  closedEndpoint,
  letCallsWait,
  roles,
  runJob,
  saidBy,
  send,
  subscribe,
  toChannel,
  toUsers,
  useCalledBotScene,
  user,
  waitFor,
  webhookBot,
} from "@carillon/testkit";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";

describe("calls of outgoing webhook bots", () => {
  const called = useCalledBotScene();
  const { scene, endpoint, mention, work, said, states } = called;
  const { db } = scene;
  const removeMessage = async (id: number) => {
    await db.rows("DELETE FROM user_messages WHERE message_id = $1", [id]);
    await db.rows("DELETE FROM messages WHERE id = $1", [id]);
  };
  const ownerHeard = async () =>
    (
      await db.rows<{ content: string }>(
        `SELECT m.content FROM messages m JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
         WHERE m.sender_id = $1 AND NOT m.is_channel ORDER BY m.id`,
        [called.bot.id, called.owner.id],
      )
    ).map(({ content }) => content);

  it("send the generic payload for a mention in a channel, and post the answer in its topic", async () => {
    endpoint.answer(() => ({ content: "all is *well*" }));
    const id = await mention();
    await work();
    const [call, ...others] = endpoint.calls;
    expect(others).to.deep.equal([]);
    const body = JSON.parse(call?.body ?? "") as {
      readonly [name: string]: unknown;
      readonly message: Readonly<Record<string, unknown>>;
    };
    expect(Object.keys(body).sort()).to.deep.equal([
      "bot_email",
      "bot_full_name",
      "data",
      "message",
      "token",
      "trigger",
    ]);
    const content = `@**${called.bot.fullName}** what is up?`;
    expect(body).to.include({
      data: content,
      bot_email: called.bot.deliveryEmail,
      bot_full_name: called.bot.fullName,
      trigger: "mention",
    });
    expect(body["token"]).to.match(/^[A-Za-z0-9]{32}$/);
    expect(body.message).to.include({
      id,
      content,
      content_type: "text/x-markdown",
      subject: "lunch",
      type: "stream",
      display_recipient: called.room.name,
      sender_id: called.person.id,
    });
    expect(body.message["rendered_content"]).to.include("user-mention");
    expect(body.message["avatar_url"]).to.be.a("string");
    const { body: got } = await scene.as(called.person).get(`/api/v1/messages/${id}`, {
      apply_markdown: false,
    });
    const fields = Object.keys(got["message"] as object).filter((name) => name !== "flags");
    expect(Object.keys(body.message)).to.have.members([...fields, "rendered_content"]);
    expect(call?.headers["content-type"]).to.equal("application/json");
    expect(call?.headers["user-agent"]).to.match(/^ZulipOutgoingWebhook\/\d/);
    expect(await saidBy(db, called.bot)).to.have.length(1);
    expect((await saidBy(db, called.bot))[0]).to.include({
      content: "all is *well*",
      topic: "lunch",
      isChannel: true,
      client: "OutgoingWebhookResponse",
    });
    expect(await states()).to.deep.equal([{ state: "done", attempts: 1, calls: 1 }]);
  });

  it("are signed so that a library of Standard Webhooks verifies them", async () => {
    const { body } = await scene.as(called.owner).get(`/api/v1/bots/${called.bot.id}/webhook`);
    const [secret = ""] = body["signing_secrets"] as string[];
    await mention();
    await work();
    const [call] = endpoint.calls;
    const webhookId = (await callsOf(db, called.bot))[0]?.webhookId;
    expect(call?.headers["webhook-id"])
      .to.equal(webhookId)
      .and.to.match(/^[A-Za-z0-9_]+$/);
    expect(new Webhook(secret).verify(call?.body ?? "", call?.headers ?? {})).to.be.an("object");
  });

  it("answer direct messages and groups, and let no bot be called by another", async () => {
    endpoint.answer(() => ({ response_string: "hello" }));
    const other = await user(db, scene.org.realm);
    await send(scene.as(called.person), toUsers([called.bot.id]));
    await send(
      scene.as(called.person),
      toUsers([called.bot.id, other.id], { content: `@**${called.bot.fullName}**` }),
    );
    const second = await webhookBot(scene, called.owner, endpoint.url);
    await send(scene.as(second), toUsers([called.bot.id]));
    await work();
    const triggers = endpoint.calls.map(
      ({ body }) => (JSON.parse(body) as { trigger: string }).trigger,
    );
    expect(triggers).to.deep.equal(["direct_message", "direct_message"]);
    const [alone, group] = await saidBy(db, called.bot);
    const receivers = async (id = 0) =>
      (
        await db.rows<{ id: number }>(
          "SELECT user_id AS id FROM user_messages WHERE message_id = $1 ORDER BY user_id",
          [id],
        )
      ).map((row) => row.id);
    const sorted = (ids: number[]) => ids.toSorted((a, b) => a - b);
    expect(await receivers(alone?.id)).to.deep.equal(sorted([called.bot.id, called.person.id]));
    expect(await receivers(group?.id)).to.deep.equal(
      sorted([called.bot.id, called.person.id, other.id]),
    );
  });

  it("are not caused by silent and wildcard mentions, code and quotes, nor by edits", async () => {
    await subscribe(db, called.room, called.bot);
    const says = (content: string) =>
      send(scene.as(called.person), toChannel(called.room.id, { content }));
    await says(`@_**${called.bot.fullName}** silent`);
    await says("@**all** everybody");
    await says(`\`@**${called.bot.fullName}**\``);
    await says(`~~~ quote\n@**${called.bot.fullName}**\n~~~`);
    const id = await says("plain");
    await scene
      .as(called.person)
      .patch(`/api/v1/messages/${id}`, { content: `@**${called.bot.fullName}** edited` });
    expect(await callsOf(db, called.bot)).to.deep.equal([]);
  });

  it("reach a bot in a private channel only if it can read there", async () => {
    called.room = await channel(db, scene.org.realm, {
      inviteOnly: true,
      subscribers: [called.person],
    });
    await mention();
    await work();
    expect(endpoint.calls).to.deep.equal([]);
    expect(await states()).to.deep.equal([{ state: "ended", attempts: 0, calls: 1 }]);
    await subscribe(db, called.room, called.bot);
    await mention();
    await work();
    expect(endpoint.calls).to.have.length(1);
  });

  const answers: ReadonlyArray<readonly [title: string, text: string, reply: string | undefined]> =
    [
      ["an empty answer", "", undefined],
      ["an empty JSON text", '""', undefined],
      ["response_not_required", '{"response_not_required": true, "content": "x"}', undefined],
      ["a blank content", '{"content": "  "}', undefined],
      ["no content", '{"text": "x"}', undefined],
      ["null", '{"content": null}', undefined],
      ["the deprecated field, which wins", '{"response_string": "a", "content": "b"}', "a"],
      ["a number", '{"content": 42}', "42"],
      ["an object", '{"content": {"a": [1]}}', '{"a":[1]}'],
      ["U+0000", '{"content": "a\\u0000b"}', "a\ufffdb"],
      ["half a surrogate pair", '{"content": "a\\ud800b"}', "a\ufffdb"],
      ["a key of the prototype", '{"__proto__": {"content": "x"}}', undefined],
    ];
  for (const [title, text, reply] of answers)
    it(`treat ${title} as ${reply === undefined ? "no reply" : JSON.stringify(reply)}`, async () => {
      endpoint.answer(() => text);
      await mention();
      await work();
      expect(await said()).to.deep.equal(reply === undefined ? [] : [reply]);
      expect(await states()).to.deep.equal([{ state: "done", attempts: 1, calls: 1 }]);
    });

  const failures: ReadonlyArray<readonly [status: number, text: string, reason: RegExp]> = [
    [400, "", /status 400/],
    [404, "", /status 404/],
    [302, "", /status 302/],
    [200, "hello", /not JSON/],
    [200, "[]", /no object/],
    [200, "7", /no object/],
    [200, "null", /no object/],
    [200, `{"content": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`, /not JSON/],
    [200, `"${"a".repeat(300_000)}"`, /more than 262144 bytes/],
  ];
  for (const [status, text, reason] of failures)
    it(`give up at once after status ${status} with ${JSON.stringify(text.slice(0, 20))}`, async () => {
      endpoint.answer((_, response) => {
        response.writeHead(status, { location: endpoint.url }).end(text);
      });
      await mention();
      await work();
      const [call] = await callsOf(db, called.bot);
      expect(call).to.include({ state: "dead", attempts: 1 });
      expect(call?.reason).to.match(reason);
      expect(endpoint.calls).to.have.length(1);
      expect((await said())[0]).to.match(/^Failure!/);
      const [told] = await ownerHeard();
      expect(told).to.match(reason).and.to.include(called.bot.fullName);
    });

  it("are retried after 5xx, 408 and no answer, six times in all, then given up", async () => {
    endpoint.answer((_, response) => {
      if (endpoint.calls.length === 3) response.destroy();
      else response.writeHead([500, 408, 0, 503][endpoint.calls.length - 1] ?? 502).end();
    });
    await mention();
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      await work();
      expect(endpoint.calls).to.have.length(attempt);
      const [call] = await callsOf(db, called.bot);
      if (attempt < 6) pauses.push(call?.dueIn ?? 0);
      await letCallsWait(db, called.bot);
    }
    for (const [index, seconds] of [1, 4, 15, 60, 300].entries())
      expect(pauses[index]).to.be.within(seconds * 0.8 - 1, seconds * 1.2);
    expect(await states()).to.deep.equal([{ state: "dead", attempts: 6, calls: 6 }]);
    const ids = new Set(endpoint.calls.map(({ headers }) => headers["webhook-id"]));
    expect(ids.size).to.equal(1);
    await work();
    expect(endpoint.calls).to.have.length(6);
  });

  it("count no attempt after 429, and wait as long as it says, at most five minutes", async () => {
    const headers = [{ "retry-after": "7" }, {}, { "retry-after": "9999" }, { "retry-after": "0" }];
    endpoint.answer((_, response) => {
      response.writeHead(429, headers[endpoint.calls.length - 1]).end();
    });
    await mention();
    const pauses = [];
    for (const _ of headers) {
      await work();
      pauses.push((await callsOf(db, called.bot))[0]?.dueIn ?? 0);
      await letCallsWait(db, called.bot);
    }
    for (const [index, seconds] of [7, 10, 300, 1].entries())
      expect(pauses[index]).to.be.within(seconds - 1, seconds);
    expect(await states()).to.deep.equal([{ state: "waiting", attempts: 0, calls: 4 }]);
  });

  it("are given up at the first failure ten minutes after the message", async () => {
    endpoint.answerWithStatus(500);
    await mention();
    await ageCalls(db, called.bot, "11 minutes");
    await work();
    expect(await states()).to.deep.equal([{ state: "dead", attempts: 1, calls: 1 }]);
  });

  it("are listed as deliveries, newest first, with what was answered", async () => {
    endpoint.answer((_, response) => {
      if (endpoint.calls.length === 1) response.writeHead(500).end("out of \0 order");
      else return { content: "ok" };
    });
    const id = await mention();
    await work();
    const path = `/api/v1/bots/${called.bot.id}/webhook`;
    const shown = await scene.as(called.owner).get(path);
    expect(shown.body).to.include({ state: "failing", waiting: 1 });
    await letCallsWait(db, called.bot);
    await work();
    expect((await scene.as(called.owner).get(path)).body).to.include({ state: "ok", waiting: 0 });
    const { body } = await scene.as(called.owner).get(`${path}/deliveries`);
    const [call] = await callsOf(db, called.bot);
    const common = { webhook_id: call?.webhookId, message_id: id };
    const deliveries = body["deliveries"] as Array<{ attempted_at: number; duration_ms: number }>;
    expect(
      deliveries.map(({ attempted_at: _at, duration_ms: _ms, ...rest }) => rest),
    ).to.deep.equal([
      {
        ...common,
        attempt: 2,
        status: 200,
        error: null,
        outcome: "done",
        response_head: '{"content":"ok"}',
      },
      {
        ...common,
        attempt: 1,
        status: 500,
        error: "status 500",
        outcome: "retry",
        response_head: "out of \ufffd order",
      },
    ]);
  });

  it("are made one after the other in a conversation, in the order of messages, and continue after a dead one", async () => {
    let failing = true;
    endpoint.answer((_, response) => {
      if (failing) response.writeHead(500).end();
      else return {};
    });
    for (const content of ["1", "2", "3"]) await mention(content);
    const elsewhere = await mention("elsewhere", { topic: "dinner" });
    await work();
    const order = () => endpoint.calls.map(calledWith);
    expect(order()).to.deep.equal(["1", "elsewhere"]);
    await ageCalls(db, called.bot, "1 hour", { before: elsewhere });
    failing = false;
    await letCallsWait(db, called.bot);
    await work();
    const later = order().slice(2);
    expect(later.filter((word) => word !== "elsewhere")).to.deep.equal(["1", "2", "3"]);
    expect(later).to.have.length(4);
  });

  it("follow each other in one slot, also in other conversations", async () => {
    const slots: number[] = [];
    endpoint.answer(async () => {
      const taken = await db.rows<{ id: number }>("SELECT id FROM outgoing_slot");
      slots.push(...taken.map(({ id }) => id));
      return {};
    });
    const topics = ["lunch", "dinner", "lunch", "tea", "supper", "brunch", "picnic", "dinner"];
    for (const topic of topics) await mention(topic, { topic });
    const [first] = await callsOf(db, called.bot);
    if (!first) throw new Error("no call was recorded");
    const { callId, version, calls } = first;
    await runJob(db, callWebhook, { callId, version, calls });
    await work();
    expect(endpoint.calls.map(calledWith)).to.deep.equal(topics);
    // A job ends after five seconds, also on a busy machine.
    expect(new Set(slots).size).to.be.below(topics.length);
    expect(await db.rows("SELECT FROM outgoing_slot")).to.deep.equal([]);
  });

  it("do not follow each other while another worker claims the next one", async () => {
    await mention("one");
    await mention("two", { topic: "dinner" });
    const [first] = await callsOf(db, called.bot);
    const [other] = await db.rows<Parameters<typeof conversationKey>[0]>(
      `SELECT bot_id AS "botId", conversation FROM outgoing_call
       WHERE bot_id = $1 ORDER BY message_id DESC LIMIT 1`,
      [called.bot.id],
    );
    if (!first || !other) throw new Error("no call was recorded");
    const { callId, version, calls } = first;
    const job = await db.transaction(async (tx) => {
      await lockKey(tx, "outgoingConversation", conversationKey(other));
      const running = runJob(db, callWebhook, { callId, version, calls });
      await waitFor(async () => (await states())[0]?.state === "done", {
        what: "the answer to the first call is stored",
      });
      expect((await states())[1]).to.include({ state: "waiting", calls: 0 });
      return { running };
    });
    await job.running;
    await work();
    expect(endpoint.calls.map(calledWith)).to.deep.equal(["one", "two"]);
  });

  it("are answered once, however often and late their jobs run", async () => {
    endpoint.answer(() => ({ content: "once" }));
    await mention();
    const [ref] = await callsOf(db, called.bot);
    if (!ref) throw new Error("no call was recorded");
    const { callId, version, calls } = ref;
    await Promise.all(
      Array.from({ length: 10 }, () => runJob(db, callWebhook, { callId, version, calls })),
    );
    await runJob(db, callWebhook, { callId, version, calls });
    expect(endpoint.calls).to.have.length(1);
    expect(await said()).to.deep.equal(["once"]);
  });

  it("send the current text and topic of the message, and nothing for a deleted one", async () => {
    endpoint.answer(() => ({ content: "moved" }));
    const id = await mention();
    await scene.as(called.person).patch(`/api/v1/messages/${id}`, { topic: "dinner" });
    await work();
    expect((await saidBy(db, called.bot))[0]).to.include({ topic: "dinner" });
    const gone = await mention();
    await removeMessage(gone);
    await work();
    expect(endpoint.calls).to.have.length(1);
    expect((await states()).at(-1)).to.include({ state: "ended" });
  });

  it("store no reply to a message that was deleted during the call", async () => {
    const id = await mention();
    endpoint.answer(async () => {
      await removeMessage(id);
      return { content: "too late" };
    });
    await work();
    expect(await said()).to.deep.equal([]);
    expect((await states()).at(-1)).to.include({ state: "ended" });
  });

  it("tell the owner about failures at most once in five minutes", async () => {
    endpoint.answerWithStatus(404);
    await mention();
    await mention();
    await work();
    expect(await ownerHeard()).to.have.length(1);
    await db.rows(
      "UPDATE bot_service SET owner_told_at = now() - interval '6 minutes' WHERE bot_id = $1",
      [called.bot.id],
    );
    await mention();
    await work();
    expect(await ownerHeard()).to.have.length(2);
  });

  it("do not show an owner the name of a channel that the owner cannot see", async () => {
    endpoint.answerWithStatus(404);
    called.room = await channel(db, scene.org.realm, {
      name: "hidden plans",
      inviteOnly: true,
      subscribers: [called.person, called.bot],
    });
    await mention();
    await work();
    const [told] = await ownerHeard();
    expect(told).to.include("a message that you cannot read").and.not.to.include("hidden");
  });

  it("end when the bot is deactivated, without a message, also one whose answer is on its way", async () => {
    await mention("1");
    await mention("2");
    endpoint.answer(async () => {
      await scene.as(called.owner).delete(`/api/v1/bots/${called.bot.id}`);
      return { content: "too late" };
    });
    await work();
    expect(endpoint.calls).to.have.length(1);
    expect(await said()).to.deep.equal([]);
    expect((await callsOf(db, called.bot)).map(({ state }) => state)).to.deep.equal([
      "ended",
      "ended",
    ]);
  });

  it("use the Slack format for channels, and tell a person that it takes no direct messages", async () => {
    called.bot = await webhookBot(scene, called.owner, endpoint.url, { interface_type: 2 });
    endpoint.answer(() => ({ text: "from Slack", content: "not this" }));
    await mention("deploy");
    await work();
    const [call] = endpoint.calls;
    expect(call?.headers["content-type"]).to.equal("application/x-www-form-urlencoded");
    const fields = Object.fromEntries(new URLSearchParams(call?.body));
    const [sent] = await db.rows<{ at: number }>(
      "SELECT floor(extract(epoch FROM sent_at))::int AS at FROM messages WHERE sender_id = $1 ORDER BY id DESC",
      [called.person.id],
    );
    expect(fields["token"]).to.match(/^[A-Za-z0-9]{32}$/);
    expect(fields).to.deep.include({
      team_id: `T${scene.org.realm.id}`,
      team_domain: hostOf(scene.gateway.services.site, scene.org.realm),
      channel_id: `C${called.room.id}`,
      channel_name: called.room.name,
      thread_ts: String(sent?.at),
      timestamp: String(sent?.at),
      user_id: `U${called.person.id}`,
      user_name: called.person.fullName,
      text: `@**${called.bot.fullName}** deploy`,
      trigger_word: "mention",
      service_id: String(called.bot.id),
    });
    expect(Object.keys(fields)).to.have.length(12);
    expect(await said()).to.deep.equal(["from Slack"]);
    await send(scene.as(called.person), toUsers([called.bot.id]));
    await work();
    expect(endpoint.calls).to.have.length(1);
    expect((await said()).at(-1)).to.match(/^Failure!.*direct messages/);
  });

  it("use another URL at the next attempt", async () => {
    const closed = await closedEndpoint();
    called.bot = await webhookBot(scene, called.owner, closed);
    await mention();
    await work();
    expect(await states()).to.deep.equal([{ state: "waiting", attempts: 1, calls: 1 }]);
    const { body } = await scene
      .as(called.owner)
      .patch(`/api/v1/bots/${called.bot.id}`, { service_payload_url: endpoint.url });
    expect(body).to.include({ result: "success", service_payload_url: endpoint.url });
    await letCallsWait(db, called.bot);
    await work();
    expect(endpoint.calls).to.have.length(1);
    expect((await states())[0]).to.include({ state: "done" });
  });

  it("refuse an address that is not allowed, without a retry, and say so to the owner", async () => {
    await mention();
    await db.rows(
      "UPDATE bot_service SET url = 'http://[::1]:1/', origin = 'http://[::1]:1' WHERE bot_id = $1",
      [called.bot.id],
    );
    await work();
    expect(await states()).to.deep.equal([{ state: "dead", attempts: 1, calls: 1 }]);
    expect((await ownerHeard())[0]).to.include("OUTGOING_ALLOWED_NETWORKS");
  });

  it("answer in a channel where the bot may not post, but not in an archived one", async () => {
    endpoint.answer(() => ({ content: "allowed" }));
    called.room = await channel(db, scene.org.realm, {
      subscribers: [called.person],
      groups: { canSendMessageGroupId: scene.org.groups["role:moderators"] },
    });
    called.person = await user(db, scene.org.realm, { role: roles.moderator });
    await mention();
    await work();
    expect(await said()).to.deep.equal(["allowed"]);
    endpoint.answer(async () => {
      await scene.as(scene.org.owner).delete(`/api/v1/streams/${called.room.id}`);
      return { content: "late" };
    });
    await mention();
    await work();
    expect(await said()).not.to.include("late");
    const [, refused] = await callsOf(db, called.bot);
    expect(refused?.reason).to.match(/reply was refused.*archived/);
  });

  it("cut a long answer", async () => {
    endpoint.answer(() => ({ content: "a".repeat(20_000) }));
    await mention();
    await work();
    expect((await said())[0]).to.have.length(10_000);
  });
});
