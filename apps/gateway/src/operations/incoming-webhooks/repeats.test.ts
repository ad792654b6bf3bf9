import { bot, refused, startGateway, succeeded } from "@carillon/testkit";
import { expect } from "chai";

import { type Hook, payloadOf, post, useHookScene } from "../../test-support/incoming-webhooks.ts";

describe("Repeats of webhooks", () => {
  const hooks = useHookScene();
  const { scene } = hooks;
  const send = (headers: Hook["headers"], more: Hook = {}, by = hooks.hook) =>
    hooks.post("json", { ...more, ...(headers && { headers }) }, by);
  const count = async () => (await hooks.read()).length;

  it("succeed and send nothing, whatever they contain", async () => {
    for (const name of [
      "X-GitHub-Delivery",
      "X-Gitlab-Event-UUID",
      "webhook-id",
      "Idempotency-Key",
    ]) {
      const before = await count();
      for (const value of ["a", "a", "b", '"a"']) {
        const answer = await send({ [name]: `${name}${value}`.replace(/^(.*)("a")$/, '"$1a"') });
        expect(answer.body, value).to.deep.equal({ result: "success", msg: "" });
        expect(answer.headers.has("Idempotent-Replayed")).to.equal(false);
      }
      succeeded(await send({ [name]: `${name}a` }, { body: { other: 1 } }));
      expect((await count()) - before, name).to.equal(2);
    }
  });

  it("are recognized by the first of the headers, separately for each bot", async () => {
    const both = { "X-GitHub-Delivery": "one", "Idempotency-Key": "two" };
    succeeded(await send(both));
    succeeded(await send({ ...both, "Idempotency-Key": "three" }));
    expect(await count()).to.equal(1);
    succeeded(await send({ ...both, "X-GitHub-Delivery": "three" }));
    expect(await count()).to.equal(2);
    const other = await bot(scene.db, scene.org.member);
    succeeded(await send(both, {}, other));
    expect(await count()).to.equal(3);
  });

  it("need a well-formed value of the header", async () => {
    for (const value of ["a,b", "a b", "x".repeat(256), '"a'])
      await refused(scene.db, () => send({ "webhook-id": value }), "BAD_REQUEST");
  });

  it("are carried out after a refusal, and after a success without a message", async () => {
    const headers = { "webhook-id": "again" };
    await refused(scene.db, () => send(headers, { body: "{" }), "BAD_REQUEST").catch(() => {});
    succeeded(await send(headers, { query: { stream: "nowhere" } }));
    expect(await count()).to.equal(0);
    succeeded(await send(headers));
    succeeded(await send(headers));
    expect(await count()).to.equal(1);
  });

  it("count for 24 hours", async () => {
    const headers = { "webhook-id": "daily" };
    succeeded(await send(headers));
    for (const [age, sent] of [
      ["23 h 55 min", 1],
      ["24 h", 2],
    ] as const) {
      await scene.db.rows(
        "UPDATE idempotency_keys SET created_at = now() - $2::interval WHERE account_id = $1",
        [hooks.hook.id, age],
      );
      succeeded(await send(headers));
      expect(await count(), age).to.equal(sent);
    }
  });

  it("send the messages once, at two gateways at the same time", async () => {
    const second = await startGateway(scene.db);
    try {
      const body = payloadOf("alertmanager/several");
      for (const [integration, messages] of [
        ["alertmanager", 3],
        ["json", 1],
      ] as const) {
        const before = await count();
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            post((i % 2 ? second : scene.gateway).anonymous, integration, hooks.hook, {
              query: { stream: String(hooks.room.id) },
              headers: { "webhook-id": `${integration}-at-once` },
              body,
            }),
          ),
        );
        for (const answer of answers) succeeded(answer);
        expect((await count()) - before).to.equal(messages);
      }
    } finally {
      await second.close();
    }
  });

  it("of alerts edit their messages if the address asks for it", async () => {
    const query = { edit_resolved: "true" };
    const [one, two] = ["one", "two"].map((instance) => ({
      status: "firing",
      labels: { alertname: "Down", instance },
      startsAt: "2026-03-02T09:00:00Z",
    })) as unknown as [Alert, Alert];
    const fire = (...alerts: readonly Alert[]) =>
      hooks.post("alertmanager", { query, body: { alerts } });
    const read = async () => (await hooks.read()).map((message) => message.content);
    succeeded(await fire(one, two));
    expect(await read()).to.deep.equal(["🚨 **Firing:** Down", "🚨 **Firing:** Down"]);
    succeeded(await fire({ ...one, status: "resolved" }, two));
    expect(await read()).to.deep.equal(["✅ **Resolved:** Down", "🚨 **Firing:** Down"]);
    // The firing request arrives once more, after the resolved one.
    succeeded(await fire(one));
    expect(await read()).to.deep.equal(["✅ **Resolved:** Down", "🚨 **Firing:** Down"]);
    succeeded(await fire({ ...one, startsAt: "2026-03-02T10:00:00Z" }));
    expect(await read()).to.have.length(3);
  });
});

interface Alert {
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
}
