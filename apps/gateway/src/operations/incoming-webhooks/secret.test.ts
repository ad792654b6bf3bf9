import { createHmac } from "node:crypto";

import { createBot, updateBot } from "@carillon/contract";
import { bot, refused, succeeded } from "@carillon/testkit";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";

import { payloadOf, useHookScene } from "../../test-support/incoming-webhooks.ts";

describe("The webhook_secret of a bot", () => {
  const hooks = useHookScene();
  const { scene } = hooks;

  const set = (secret: string) =>
    scene
      .as(scene.org.member)
      .patch(`/api/v1/bots/${hooks.hook.id}`, { config_data: { webhook_secret: secret } });
  const send = (integration: string, headers: Record<string, string>, body: string) =>
    hooks.post(integration, { headers, body });

  it("is set and removed by the owner, sealed, and never shown", async () => {
    const member = scene.as(scene.org.member);
    const params = { bot_type: 2, config_data: { webhook_secret: "whisper" } };
    const made = await member.succeed(createBot, {
      params: { full_name: "Signed Hook", short_name: "signed", ...params },
    });
    expect(made.config_data).to.deep.equal({ webhook_secret: "********" });
    const { body: plainBot } = await member.call(createBot, {
      params: { full_name: "Other Hook", short_name: "other", bot_type: 2 },
    });
    expect(plainBot).to.deep.include({ config_data: {} });
    const shown = async (changes: Readonly<Record<string, unknown>>) =>
      (await member.succeed(updateBot, { path: { bot_id: made.user_id }, params: changes }))
        .config_data;
    expect(await shown({ full_name: "Renamed Hook" })).to.deep.equal({
      webhook_secret: "********",
    });
    const [row] = await scene.db.rows<{ sealed: Buffer }>(
      "SELECT webhook_secret_sealed AS sealed FROM users WHERE id = $1",
      [made.user_id],
    );
    expect(row?.sealed.toString("latin1")).to.not.include("whisper");
    expect(scene.gateway.services.site.secrets.open(row?.sealed ?? Buffer.alloc(0))).to.equal(
      "whisper",
    );
    expect(await shown({ config_data: { webhook_secret: "" } })).to.deep.equal({});
    const audit = await scene.db.prisma.auditLog.findMany({
      where: { modifiedUserId: made.user_id, eventType: "bot_webhook_secret_changed" },
    });
    expect(audit).to.have.length(1);
    expect(audit[0]?.extraData).to.deep.equal({});
  });

  it("is refused for other bots, other keys and more than 200 characters", async () => {
    const { db, org } = scene;
    const generic = await bot(db, org.member);
    const change = (id: number, config_data: object) =>
      refused(
        db,
        () => scene.as(org.member).patch(`/api/v1/bots/${id}`, { config_data }),
        "BAD_REQUEST",
      );
    await change(generic.id, { webhook_secret: "a" });
    await change(hooks.hook.id, { other: "a" });
    await change(hooks.hook.id, { webhook_secret: 7 });
    await change(hooks.hook.id, { webhook_secret: "x".repeat(201) });
    succeeded(await set("😀".repeat(200)));
    await refused(
      db,
      () =>
        scene.as(org.member).call(createBot, {
          params: { full_name: "G", short_name: "g", config_data: { webhook_secret: "a" } },
        }),
      "BAD_REQUEST",
    );
  });

  it("lets only signed requests through, over the bytes as they were sent", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    succeeded(await set(secret));
    const push = JSON.stringify(payloadOf("github/push"), null, 3);
    const digest = createHmac("sha256", secret).update(push).digest("hex");
    const github = { "X-GitHub-Event": "push" };
    const unsigned: ReadonlyArray<readonly [string, Record<string, string>]> = [
      ["github", github],
      ["github", { ...github, "X-Hub-Signature-256": `sha256=${digest.replace(/.$/, "x")}` }],
      ["github", { ...github, "X-Hub-Signature-256": digest }],
      ["gitlab", { "X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "wrong" }],
      ["json", {}],
      ["json", { "webhook-id": "a", "webhook-timestamp": "1", "webhook-signature": "v1,a" }],
      // Without an event, which is looked for after the signature.
      ["github", { "X-Hub-Signature-256": "sha256=" }],
    ];
    for (const [integration, headers] of unsigned)
      await refused(scene.db, () => send(integration, headers, push), "UNAUTHORIZED", {});
    succeeded(await send("github", { ...github, "X-Hub-Signature-256": `sha256=${digest}` }, push));
    const tag = JSON.stringify(payloadOf("gitlab/tag"));
    const gitlab = { "X-Gitlab-Event": "Tag Push Hook", "X-Gitlab-Token": secret };
    succeeded(await send("gitlab", gitlab, tag));
    const signed = (body: string) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
      "webhook-signature": new Webhook(secret).sign("msg_1", new Date(), body),
    });
    succeeded(await send("json", signed("[1]"), "[1]"));
    const form = "payload=%7B%22a%22%3A1%7D";
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    const again = { ...signed(form), "webhook-id": "msg_1" };
    succeeded(await send("json", { ...type, ...again }, form));
    // The last one was a repeat.
    expect(await hooks.read()).to.have.length(3);
    succeeded(await set(""));
    succeeded(await send("json", {}, "[1]"));
  });
});
