import {
  bot,
  channel,
  messagesOf,
  noticesTo,
  refused,
  refusedWith,
  succeeded,
  type TestAccount,
  type TestChannel,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

import { type Hook, payloadOf, post, useHookScene } from "../../test-support/incoming-webhooks.ts";

describe("POST /external/{integration}", () => {
  const hooks = useHookScene();
  const { scene, read, post: sendToRoom } = hooks;
  let hook: TestAccount;
  let room: TestChannel;
  beforeEach(() => ({ hook, room } = hooks));

  const send = (integration: string, given: Hook) =>
    post(scene.gateway.anonymous, integration, hook, given);
  const inRoom = (): Hook => ({ query: { stream: String(room.id) } });
  const notices = () => noticesTo(scene.as(scene.org.member), scene.org.notificationBot);
  const direct = () => messagesOf(scene.as(scene.org.member), withUsers(hook.id));

  it("sends what the integration makes of the payload, by the bot", async () => {
    const answer = await sendToRoom("json", { body: { a: 1 } });
    expect(answer.body).to.deep.equal({ result: "success", msg: "" });
    expect(answer.status).to.equal(200);
    const [message, ...more] = await read();
    expect(message).to.include({
      sender_id: hook.id,
      subject: "JSON",
      content: '```json\n{\n  "a": 1\n}\n```',
      client: "ZulipJSONWebhook",
    });
    expect(more).to.deep.equal([]);
  });

  it("finds the channel by its name or its digits, and prefers the topic of the address", async () => {
    const query = { stream: room.name, topic: "builds" };
    const answer = await send("slack_incoming", { query, body: { text: "one", channel: "#x" } });
    expect(answer.body).to.deep.equal({ result: "success", msg: "", ok: true });
    succeeded(await sendToRoom("slack_incoming", { body: { text: "two", channel: "#x" } }));
    expect((await read()).map(({ subject, content }) => [subject, content])).to.deep.equal([
      ["builds", "one"],
      ["x", "two"],
    ]);
  });

  it("sends direct messages to the bot's owner without a channel", async () => {
    succeeded(await send("text", { query: { topic: "ignored" }, body: { content: "hello" } }));
    const [message] = await direct();
    expect(message).to.include({ sender_id: hook.id, content: "hello", type: "private" });
  });

  it("accepts generic bots, and HTTP Basic instead of the key in the address", async () => {
    const generic = await bot(scene.db, scene.org.member);
    succeeded(await sendToRoom("json", {}, generic));
    for (const account of [generic, hook])
      succeeded(await post(scene.as(account), "json", undefined, inRoom()));
    expect((await read()).map((message) => message.sender_id)).to.deep.equal([
      generic.id,
      generic.id,
      hook.id,
    ]);
  });

  it("accepts forms with the payload, and with the key", async () => {
    const form = (fields: Record<string, string>) => ({
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
    succeeded(await sendToRoom("slack_incoming", form({ payload: '{"text":"one"}' })));
    const fields = { payload: '{"text":"two"}', stream: String(room.id), api_key: hook.apiKey };
    succeeded(await post(scene.gateway.anonymous, "slack_incoming", undefined, form(fields)));
    succeeded(await sendToRoom("text", form({ content: "three", topic: "t" })));
    const body = new FormData();
    body.set("payload", '{"text":"four"}');
    const path = `/api/v1/external/slack_incoming?api_key=${hook.apiKey}&stream=${room.id}`;
    succeeded(await scene.gateway.anonymous.send("POST", path, { body }));
    expect((await read()).map(({ content }) => content)).to.deep.equal([
      "one",
      "two",
      "three",
      "four",
    ]);
    refusedWith(await sendToRoom("json", form({})), "REQUEST_VARIABLE_MISSING", {
      var_name: "payload",
    });
  });

  it("accepts plain text", async () => {
    const headers = { "Content-Type": "text/plain; charset=utf-8" };
    succeeded(await sendToRoom("text", { headers, body: "Grüße **x** @**all**" }));
    const [message] = await read();
    expect(message).to.include({
      subject: "notifications",
      content: "Grüße **x** &#64;**all**",
      client: "ZulipTextWebhook",
    });
    refusedWith(await sendToRoom("json", { headers, body: "no JSON" }), "BAD_REQUEST");
  });

  it("refuses keys that are not those of active bots", async () => {
    const { db, org } = scene;
    const gone = await bot(db, org.member, { isActive: false });
    const unknown = { ...hook, apiKey: "a".repeat(32) };
    const malformed = { ...hook, apiKey: "x" };
    for (const account of [gone, unknown, malformed, org.member, org.owner])
      await refused(db, () => sendToRoom("json", {}, account), "INVALID_API_KEY", {});
    await refused(
      db,
      () => post(scene.as(org.member), "json", undefined, inRoom()),
      "UNAUTHORIZED",
    );
    await refused(
      db,
      () => post(scene.gateway.anonymous, "json", undefined, inRoom()),
      "REQUEST_VARIABLE_MISSING",
      { var_name: "api_key" },
    );
  });

  it("knows its integrations before the method and the key", async () => {
    const { anonymous } = scene.gateway;
    for (const method of ["GET", "POST"]) {
      const init = { headers: { Authorization: "nonsense" } };
      const answer = await anonymous.send(method, "/api/v1/external/nonsense", init);
      refusedWith(answer, "NOT_FOUND", {}, 404);
    }
    const answer = await anonymous.send("GET", "/api/v1/external/json");
    refusedWith(answer, "METHOD_NOT_ALLOWED", { allowed_methods: ["POST"] }, 405);
  });

  it("answers 200 with an error to an event that it does not know, without a notice", async () => {
    const headers = { "X-GitHub-Event": "star" };
    const before = (await notices()).length;
    const answer = await sendToRoom("github", { headers });
    const fields = { webhook_name: "GitHub", event_type: "star" };
    refusedWith(answer, "UNSUPPORTED_WEBHOOK_EVENT_TYPE", fields, 200);
    expect(await notices()).to.have.length(before);
  });

  it("tells the owner of requests that it cannot read, once in five minutes", async () => {
    const { db } = scene;
    refusedWith(await sendToRoom("github"), "MISSING_HTTP_EVENT_HEADER", {
      header: "X-GitHub-Event",
    });
    const notice = (await notices()).at(-1);
    expect(notice?.content).to.include(`@_**${hook.fullName}|${hook.id}**`);
    expect(notice?.content).to.include("GitHub").and.include("X-GitHub-Event");
    const headers = { "X-GitHub-Event": "push" };
    const bad: ReadonlyArray<readonly [string, Hook]> = [
      ["json", { body: "{" }],
      ["json", { body: new Blob([new Uint8Array([0x22, 0xff, 0x22])]) }],
      ["json", { body: "" }],
      ["json", { body: `${"[".repeat(65)}${"]".repeat(65)}` }],
      ["github", { headers, body: { ref: "refs/heads/main" } }],
      ["github", { headers, body: [] }],
      ["slack_incoming", { body: "7" }],
      ["slack_incoming", { body: { text: 7 } }],
      [
        "slack_incoming",
        { body: { blocks: Array.from({ length: 201 }, () => ({ type: "divider" })) } },
      ],
      ["alertmanager", { body: { alerts: [{ status: "lost", labels: {} }] } }],
      ["alertmanager", { body: { alerts: firing(51) } }],
      ["text", { body: { content: " " } }],
    ];
    const before = await notices();
    for (const [integration, given] of bad)
      refusedWith(await sendToRoom(integration, given), "BAD_REQUEST");
    expect(await notices()).to.have.length(before.length);
    expect(await read()).to.deep.equal([]);
    await db.rows("UPDATE users SET owner_told_at = now() - interval '6 minutes' WHERE id = $1", [
      hook.id,
    ]);
    refusedWith(await sendToRoom("json", { body: "secret {" }), "BAD_REQUEST");
    const after = await notices();
    expect(after).to.have.length(before.length + 1);
    expect(after.at(-1)?.content).to.not.include("secret");
  });

  it("succeeds for a channel that the bot does not see, and tells the owner", async () => {
    const { db, org } = scene;
    const secret = await channel(db, org.owner, { inviteOnly: true });
    for (const stream of ["nowhere", String(secret.id), "999999999999"]) {
      await db.rows("UPDATE users SET owner_told_at = NULL WHERE id = $1", [hook.id]);
      const before = (await notices()).length;
      const answer = await send("json", { query: { stream } });
      if (stream === String(secret.id)) {
        refusedWith(answer, "BAD_REQUEST");
        continue;
      }
      succeeded(answer);
      const after = await notices();
      expect(after).to.have.length(before + 1);
      expect(after.at(-1)?.content).to.include("does not exist");
    }
  });

  it("refuses what POST /messages refuses", async () => {
    const { db, org } = scene;
    const archived = await channel(db, org.owner, { isArchived: true, subscribers: [hook] });
    const query = { stream: String(archived.id) };
    await refused(db, () => send("json", { query }), "BAD_REQUEST");
    await db.rows("UPDATE channels SET topics_policy = 'disable_empty_topic' WHERE id = $1", [
      room.id,
    ]);
    await refused(db, () => sendToRoom("slack_incoming", { body: { text: "x" } }), "BAD_REQUEST");
    const bad = { only_events: "push", exclude_events: '{"a":1}', edit_resolved: "yes" };
    for (const [name, value] of Object.entries(bad))
      await refused(db, () => sendToRoom("json", { query: { [name]: value } }), "BAD_REQUEST");
  });

  it("sends nothing about events that are filtered out, whatever their payload is", async () => {
    const headers = { "X-GitHub-Event": "push" };
    const filters = [
      { only_events: '["issue*"]' },
      { exclude_events: '["pu?h"]' },
      { only_events: '["push"]', exclude_events: '["*"]' },
    ];
    for (const query of filters)
      succeeded(await sendToRoom("github", { query, headers, body: "[]" }));
    const query = { only_events: '["resolved"]' };
    const body = payloadOf("alertmanager/several");
    succeeded(await sendToRoom("alertmanager", { query, body }));
    expect((await read()).map(({ content }) => content.slice(0, 13))).to.deep.equal([
      "✅ **Resolved:",
    ]);
  });

  it("sends several messages of one request or none", async () => {
    const body = payloadOf("alertmanager/several");
    succeeded(await sendToRoom("alertmanager", { body }));
    expect((await read()).map(({ subject }) => subject)).to.deep.equal([
      "db1:9100",
      "db2:9100",
      "db1:9100",
    ]);
    const { db } = scene;
    const [first, second] = firing(2) as [Alert, Alert];
    // The channel refuses the topic of the second message.
    const alerts = [first, { ...second, labels: { instance: "(no topic)" } }];
    await db.rows("UPDATE channels SET topics_policy = 'disable_empty_topic' WHERE id = $1", [
      room.id,
    ]);
    await refused(db, () => sendToRoom("alertmanager", { body: { alerts } }), "BAD_REQUEST");
    const fifty = { alerts: firing(50) };
    succeeded(await sendToRoom("alertmanager", { body: fifty }));
    expect(await read()).to.have.length(53);
  });

  it("answers bodies over 2 MiB with 413 before it looks at them", async () => {
    const limit = 2 * 1024 * 1024;
    const body = `"${"x".repeat(limit - 2)}"`;
    succeeded(await sendToRoom("json", { body }));
    refusedWith(await sendToRoom("json", { body: `${body} ` }), "REQUEST_TOO_LARGE");
    const [message] = await read();
    expect(message?.content)
      .to.have.length(10_000)
      .and.match(/\n\[message truncated\]$/);
  });

  it("keeps hostile payloads from mentioning anybody, from being widgets and from causing errors", async () => {
    const name = scene.org.member.fullName;
    const texts = [
      "/poll a\nb",
      `@**${name}**`,
      "\0\ud800",
      "\u202e",
      `${"`a` ".repeat(2_490)}\`@**${name}**`,
    ];
    for (const text of texts) {
      succeeded(await sendToRoom("slack_incoming", { body: { text } }));
      const body = `{"text": ${JSON.stringify(text)}, "__proto__": {"a": 1}, "n": 1e999, "m": ${"9".repeat(400)}}`;
      succeeded(await sendToRoom("json", { body }));
      const heartbeat = { status: 0, msg: text };
      succeeded(await sendToRoom("uptime_kuma", { body: { heartbeat, monitor: { name: text } } }));
    }
    const messages = await read();
    expect(
      messages.flatMap(({ flags }) => flags.filter((flag) => flag === "mentioned")),
    ).to.deep.equal([]);
    const [submessages] = await scene.db.rows(
      "SELECT count(*)::int AS count FROM submessages s JOIN messages m ON m.id = s.message_id WHERE m.sender_id = $1",
      [hook.id],
    );
    expect(submessages).to.deep.equal({ count: 0 });
  });

  it("logs neither keys nor payloads", async () => {
    await sendToRoom("json", { body: { word: "confidential" } });
    await sendToRoom("json", { body: "confidential {" });
    await sendToRoom("json", {}, { ...hook, apiKey: "b".repeat(32) });
    const log = scene.gateway.logText();
    expect(log).to.include("/api/v1/external/{integration}");
    for (const secret of [hook.apiKey, "b".repeat(32), "confidential", "api_key="])
      expect(log).to.not.include(secret);
  });

  it("counts requests by integration and outcome", async () => {
    const counts = () =>
      new Map(
        [...scene.gateway.services.webhooks.read()].map(({ labels, count }) => [
          `${labels.integration} ${labels.outcome}`,
          count,
        ]),
      );
    const before = counts();
    const more = (key: string) => (counts().get(key) ?? 0) - (before.get(key) ?? 0);
    await sendToRoom("grafana", { body: payloadOf("grafana/firing") });
    await sendToRoom("grafana", { body: { alerts: [] } });
    await sendToRoom("grafana", { body: {} });
    await send("grafana", { query: { stream: "nowhere" }, body: payloadOf("grafana/firing") });
    await sendToRoom("gitlab", { headers: { "X-Gitlab-Event": "Job Hook" } });
    expect([more("grafana sent"), more("grafana nothing"), more("grafana refused")]).to.deep.equal([
      1, 1, 1,
    ]);
    expect([more("grafana no_channel"), more("gitlab unsupported")]).to.deep.equal([1, 1]);
  });
});

interface Alert {
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
}

function firing(count: number): Alert[] {
  return Array.from({ length: count }, (_, i) => ({
    status: "firing",
    labels: { alertname: "A", instance: `host ${i}` },
  }));
}
