import { createBot, getBotWebhook, listBotDeliveries, rotateBotWebhook } from "@carillon/contract";
import {
  bot,
  refused,
  user,
  useScene,
  watch,
  webhookBot,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

const url = "https://example.org/hook?a=b";

describe("outgoing webhook bots", () => {
  const scene = useScene();
  const { db } = scene;
  let owner: TestAccount;
  let other: TestAccount;
  let hook: TestAccount;

  before(async () => {
    owner = await user(db, scene.org.realm);
    other = await user(db, scene.org.realm);
    hook = await webhookBot(scene, owner, url);
  });

  const read = (by: TestAccount, botId = hook.id) =>
    scene.as(by).call(getBotWebhook, { path: { bot_id: botId } });
  const rotate = (by: TestAccount, which: "token" | "signing_secret", botId = hook.id) =>
    scene.as(by).call(rotateBotWebhook, { path: { bot_id: botId }, params: { which } });

  it("show their endpoint to the owner and administrators, in the snapshot and the event", async () => {
    const events = await watch(
      scene.gateway,
      { owner: { account: owner }, other: { account: other }, admin: { account: scene.org.admin } },
      () => webhookBot(scene, owner, `"${url}"`, { interface_type: 2, service_name: "builds" }),
    );
    const added = (who: keyof typeof events) =>
      events[who].filter(({ type }) => type === "realm_bot").map((event) => event["bot"]);
    const [made] = added("owner") as Array<{ user_id: number; services: object[] }>;
    expect(added("admin")).to.deep.equal([made]);
    expect(added("other")).to.deep.equal([]);
    const [service] = (made?.services ?? []) as [{ token: string }];
    expect(service).to.deep.equal({ base_url: url, interface: 2, token: service.token });
    expect(service.token).to.match(/^[A-Za-z0-9]{32}$/);
    const { body } = await scene
      .as(owner)
      .post("/api/v1/register", { fetch_event_types: ["realm_bot"] });
    const bots = body["realm_bots"] as Array<{ user_id: number; services: object[] }>;
    expect(bots.find(({ user_id }) => user_id === made?.user_id)?.services).to.deep.equal([
      service,
    ]);
    const stored = await db.rows("SELECT payload FROM event_log");
    expect(JSON.stringify(stored)).not.to.include(service.token);
  });

  for (const [title, params, code] of [
    ["no URL", { payload_url: undefined }, "REQUEST_VARIABLE_MISSING"],
    ["a blank URL", { payload_url: " " }, "REQUEST_VARIABLE_MISSING"],
    ["another scheme", { payload_url: "ftp://example.org" }, "BAD_REQUEST"],
    ["a private address", { payload_url: "http://10.0.0.1/" }, "BAD_REQUEST"],
    ["a private address in JSON", { payload_url: '"http://167772161/"' }, "BAD_REQUEST"],
    ["a mail port", { payload_url: "http://example.org:25/" }, "BAD_REQUEST"],
    ["a user name", { payload_url: "http://me@example.org/" }, "BAD_REQUEST"],
    ["a fragment", { payload_url: "http://example.org/#a" }, "BAD_REQUEST"],
    ["too long a URL", { payload_url: `http://example.org/${"a".repeat(2_048)}` }, "BAD_REQUEST"],
    ["U+0000", { payload_url: "http://example.org/\0" }, "BAD_REQUEST"],
    ["interface 0", { interface_type: 0 }, "BAD_REQUEST"],
    ["interface 3", { interface_type: 3 }, "BAD_REQUEST"],
    ["an interface in words", { interface_type: "x" }, "BAD_REQUEST"],
    ["too long a name", { service_name: "x".repeat(101) }, "BAD_REQUEST"],
  ] as const)
    it(`refuse ${title}`, () => {
      const names = { full_name: "Refused Hook", short_name: "refused-hook" };
      const ask = () =>
        scene.as(owner).call(createBot, {
          params: { ...names, bot_type: 3, payload_url: url, ...params },
        });
      return refused(db, ask, code);
    });

  it("show and replace their secrets for the owner and administrators only", async () => {
    const { body: first } = await read(owner);
    expect(first).to.deep.include({
      payload_url: url,
      interface_type: 1,
      state: "ok",
      waiting: 0,
    });
    expect(first.signing_secrets).to.have.length(1);
    expect(first.signing_secrets[0]).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { body: second } = await rotate(scene.org.admin, "signing_secret");
    expect(second.signing_secrets).to.have.length(2);
    expect(second.signing_secrets[1]).to.equal(first.signing_secrets[0]);
    const { body: third } = await rotate(owner, "signing_secret");
    expect(third.signing_secrets[1]).to.equal(second.signing_secrets[0]);
    await db.rows("UPDATE bot_service SET old_secret_until = now() WHERE bot_id = $1", [hook.id]);
    expect((await read(owner)).body.signing_secrets).to.deep.equal([third.signing_secrets[0]]);
    for (const ask of [() => read(other), () => rotate(other, "token")])
      await refused(db, ask, "BAD_REQUEST");
    const generic = await bot(db, owner);
    for (const ask of [() => read(owner, generic.id), () => rotate(owner, "token", generic.id)])
      await refused(db, ask, "BAD_REQUEST");
    await refused(db, () => read(owner, 999_999_999), "BAD_REQUEST");
  });

  it("send an event for a new token, and for another URL and format", async () => {
    const path = `/api/v1/bots/${hook.id}`;
    const before = (await read(owner)).body.token;
    const events = await watch(scene.gateway, { owner: { account: owner } }, async () => {
      await rotate(owner, "token");
      await scene.as(owner).patch(path, { service_payload_url: "https://example.org/b" });
      await scene.as(owner).patch(path, { service_interface: 2 });
    });
    const { token } = (await read(owner)).body;
    expect(token).not.to.equal(before);
    const service = (base_url: string, format: number) => ({
      type: "realm_bot",
      op: "update",
      bot: { user_id: hook.id, services: [{ base_url, interface: format, token }] },
    });
    expect(events.owner.map(({ id: _id, ...event }) => event)).to.deep.equal([
      service(url, 1),
      service("https://example.org/b", 1),
      service("https://example.org/b", 2),
    ]);
    const { body } = await scene.as(owner).patch(path, {});
    expect(body).to.include({ service_payload_url: "https://example.org/b", service_interface: 2 });
    await refused(
      db,
      () =>
        scene.as(owner).patch(path, { service_payload_url: "http://10.0.0.1/", full_name: "X" }),
      "BAD_REQUEST",
    );
  });

  it("list deliveries, none at first, for the owner and administrators only", async () => {
    const list = (by: TestAccount) =>
      scene.as(by).call(listBotDeliveries, { path: { bot_id: hook.id } });
    expect((await list(owner)).body.deliveries).to.deep.equal([]);
    await refused(db, () => list(other), "BAD_REQUEST");
  });
});
