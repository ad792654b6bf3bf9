import type { DeadCall, EndpointView, SubscriptionView } from "@carillon/domain";
import {
  callsOf,
  channel,
  eventSubscription,
  makeCalls,
  mentionBot,
  organization,
  saidBy,
  send,
  serveEvents,
  toUsers,
  useEndpoint,
  webhookBot,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { useDashboard, useGatewayOf } from "../test-support.ts";

interface Shown {
  readonly endpoints: { readonly rows: readonly EndpointView[] };
  readonly subscriptions: { readonly rows: readonly SubscriptionView[] };
  readonly dead: { readonly rows: readonly DeadCall[] };
}

describe("the dashboard's webhooks", () => {
  const dashboard = useDashboard("postgres");
  const gateway = useGatewayOf(dashboard);
  const endpoint = useEndpoint();
  let org: TestOrganization;
  let room: TestChannel;
  let bot: TestAccount;

  beforeEach(async () => {
    const { db } = dashboard();
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.member] });
    const scene = { db, as: (account: TestAccount) => gateway().as(account) };
    bot = await webhookBot(scene, org.owner, `${endpoint.url}?key=secret-in-url`);
  });

  const shown = async () => (await dashboard().json("/webhooks")) as Shown;
  const page = async () => (await dashboard().ask("/webhooks")).text();
  const mine = async () => {
    const { endpoints, dead } = await shown();
    return {
      endpoint: endpoints.rows.find(({ botId }) => botId === bot.id),
      dead: dead.rows.filter(({ botId }) => botId === bot.id),
    };
  };
  const giveUp = async (count = 1) => {
    endpoint.answerWithStatus(404);
    for (let n = 0; n < count; n++)
      await mentionBot(gateway().as(org.member), bot, room, "secret text");
    await makeCalls(dashboard().db, bot);
  };

  it("show endpoints with state and last call, and calls that were given up, without texts and secrets", async () => {
    await giveUp();
    const { endpoint: view, dead } = await mine();
    expect(view).to.deep.include({
      botId: bot.id,
      realmId: org.realm.id,
      ownerId: org.owner.id,
      origin: new URL(endpoint.url).origin,
      failing: true,
      waiting: 0,
      dead: 1,
      lastStatus: 404,
      lastOutcome: "failed",
    });
    expect(dead).to.have.length(1);
    expect(dead[0]).to.include({ reason: "status 404", attempts: 1 });
    const text = await page();
    expect(text).to.include(bot.fullName).and.include("status 404");
    for (const secret of ["secret text", "secret-in-url"]) expect(text).to.not.include(secret);
  });

  it("make a call again once, whose answer then appears, and note the operator", async () => {
    await giveUp();
    const [dead] = (await mine()).dead;
    endpoint.answer(() => ({ content: "after all" }));
    const fields = { id: String(dead?.id) };
    expect(await (await dashboard().post("/webhooks/retry", fields)).json()).to.deep.equal({
      retried: 1,
    });
    expect(await (await dashboard().post("/webhooks/retry", fields)).json()).to.deep.equal({
      retried: 0,
    });
    const { db } = dashboard();
    await makeCalls(db, bot);
    expect((await saidBy(db, bot)).at(-1)?.content).to.equal("after all");
    const [call] = await callsOf(db, bot);
    expect(call).to.include({ state: "done", version: 2 });
    const ids = endpoint.calls.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).to.equal(1);
    const [line] = await db.rows<{ data: object }>(
      "SELECT extra_data AS data FROM audit_log WHERE event_type = 'webhook_call_replayed' AND realm_id = $1",
      [org.realm.id],
    );
    expect(line?.data).to.include({ call_id: dead?.id, operator: "olga" });
  });

  it("discard all calls of a bot, for the operator only", async () => {
    await giveUp(2);
    const fields = { bot: String(bot.id) };
    const refused = await dashboard().post("/webhooks/discard", fields, { as: "viewer" });
    expect(refused.status).to.equal(403);
    expect((await mine()).dead).to.have.length(2);
    const answer = await dashboard().post("/webhooks/discard", fields);
    expect(await answer.json()).to.deep.equal({ discarded: 2 });
    expect((await mine()).dead).to.deep.equal([]);
    for (const wrong of [{}, { id: "x" }, { id: "1", bot: "1" }])
      expect((await dashboard().post("/webhooks/retry", wrong as never)).status).to.equal(400);
  });

  it("show event subscriptions with their state and last call, without the path of the URL", async () => {
    const { db } = dashboard();
    const scene = { as: (account: TestAccount) => gateway().as(account) };
    const url = `${endpoint.url}?key=secret-in-url`;
    const subscribed = await eventSubscription(scene, bot, url);
    await send(gateway().as(org.member), toUsers([bot.id]));
    endpoint.answerWithStatus(404);
    await serveEvents(db, subscribed);
    const text = await page();
    expect(text).to.match(/failing: status 404, next attempt in/);
    expect(text).not.to.include("secret-in-url");
    const { subscriptions } = await shown();
    expect(subscriptions.rows.find(({ id }) => id === subscribed.id)).to.include({
      botId: bot.id,
      realmId: org.realm.id,
      origin: new URL(endpoint.url).origin,
      state: "failing",
      reason: "status 404",
      attempts: 1,
      lastStatus: 404,
    });
  });
});
