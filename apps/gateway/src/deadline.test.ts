import { once } from "node:events";
import { request } from "node:http";
import { errors, operation } from "@carillon/contract";
import { connectDatabase } from "@carillon/db";
import {
  channel,
  countWaiting,
  organization,
  scheduledMessage,
  startFaultProxy,
  startGateway as startTestGateway,
  useDatabase,
  useGateway,
  waitFor,
  type Gateway,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";
import { basic } from "./http/sample-gateway.test.ts";
import { handle } from "./handle.ts";

const path = "/api/v1/scheduled_messages";

describe("a request that takes too long", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  // Only what waits for ever meets this deadline on purpose; should a slow machine make it meet others, they are refused too.
  const hasty = useGateway(db, { app: { deadlineMs: 1_500 } });
  let member: TestAccount;
  let admin: TestAccount;
  let room: TestChannel;
  let obstacle: pg.Client;

  before(async () => {
    const org = await organization(db);
    ({ member, admin } = org);
    room = await channel(db, org.realm, { subscribers: [member, admin] });
    obstacle = new pg.Client(db.url);
    // Dropping the database ends it.
    obstacle.on("error", () => {});
    await obstacle.connect();
  });
  after(() => obstacle.end());
  beforeEach(() => obstacle.query("BEGIN"));
  afterEach(async () => {
    await obstacle.query("ROLLBACK");
    await waitFor(async () => (await waiting()) === 0, { what: "nobody waits any more" });
  });

  /** How many connections wait for the obstacle, or for each other behind it. */
  const waiting = () => countWaiting(db.pool);

  /** Everything that the requests here could have changed. */
  async function state() {
    const [row] = await db.rows(
      `SELECT (SELECT json_agg(m ORDER BY id) FROM scheduled_messages m) AS pending,
         (SELECT json_agg(h) FROM event_head h) AS heads`,
    );
    return row;
  }

  const draft = (content: string) => ({
    type: "channel",
    to: room.id,
    topic: "t",
    content,
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
  });
  const lockRow = (id: number) =>
    obstacle.query("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [id]);
  const lockHead = () => obstacle.query("SELECT FROM event_head FOR UPDATE");

  /** A request that is broken off by `hangUp`. */
  function brokenOff(by: Gateway, method: string, target: string, form: Record<string, string>) {
    const sent = request(by.url + target, {
      method,
      agent: false,
      headers: {
        Authorization: basic(`${member.deliveryEmail}:${member.apiKey}`),
        "Content-Type": "application/x-www-form-urlencoded",
      },
    });
    sent.on("error", () => {});
    sent.end(new URLSearchParams(form).toString());
    return () => void sent.destroy();
  }

  it("is refused at the deadline, and an edit that waited for its row changes nothing later", async () => {
    const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
    const before = await state();
    await lockRow(id);
    const answer = await hasty.as(member).patch(`${path}/${id}`, { content: "late" });
    expect(answer.status).to.equal(503);
    expect(answer.body).to.include({ result: "error", code: "INTERNAL_ERROR" });
    expect(await waiting()).to.equal(0);
    await obstacle.query("ROLLBACK");
    expect(await state()).to.deep.equal(before);
    const again = await gateway.as(member).patch(`${path}/${id}`, { content: "in time" });
    expect(again.status).to.equal(200);
  });

  it("is refused where it waits for the organization's events, with its COMMIT behind it", async () => {
    const before = await state();
    await lockHead();
    expect((await hasty.as(member).post(path, draft("late"))).status).to.equal(503);
    expect(await waiting()).to.equal(0);
    await obstacle.query("ROLLBACK");
    expect(await state()).to.deep.equal(before);
  });

  it("is refused where the look-up of its credentials does not end", async () => {
    await obstacle.query("LOCK TABLE users");
    expect((await hasty.as(member).get(path)).status).to.equal(503);
    expect(await waiting()).to.equal(0);
  });

  it("is refused when its body does not arrive, and the connection ends", async () => {
    const sent = request(`${hasty.url}${path}`, {
      method: "POST",
      headers: {
        Authorization: basic(`${member.deliveryEmail}:${member.apiKey}`),
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": 1_000,
      },
    });
    sent.on("error", () => {});
    sent.write("content=");
    const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
    expect(response.statusCode).to.equal(503);
    expect(response.headers.connection).to.equal("close");
    sent.destroy();
  });

  it("ends with its client, when that hangs up before the commit", async () => {
    const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
    const before = await state();
    await lockRow(id);
    const hangUp = brokenOff(gateway, "PATCH", `${path}/${id}`, { content: "nobody listens" });
    await waitFor(async () => (await waiting()) === 1, { what: "the edit waits for its row" });
    hangUp();
    await waitFor(async () => (await waiting()) === 0, { what: "the edit is cancelled" });
    await obstacle.query("ROLLBACK");
    expect(await state()).to.deep.equal(before);
  });

  it("commits once, when its client hangs up behind the commit", async () => {
    const content = "behind the commit";
    const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
    await lockHead();
    await lockRow(id);
    const form = Object.entries(draft(content)).map(([name, value]) => [name, String(value)]);
    const hangUps = [
      brokenOff(gateway, "POST", path, Object.fromEntries(form)),
      brokenOff(gateway, "PATCH", `${path}/${id}`, { content: "before the commit" }),
    ];
    await waitFor(async () => (await waiting()) === 2, { what: "the commit and the edit wait" });
    for (const hangUp of hangUps) hangUp();
    // The edit hung up later, so that the end of both has been noticed.
    await waitFor(async () => (await waiting()) === 1, { what: "the edit is cancelled" });
    await obstacle.query("ROLLBACK");
    await waitFor(async () => (await waiting()) === 0, { what: "the commit is through" });
    expect((await gateway.as(member).get(path)).text).to.contain(content);
    const rows = await db.rows("SELECT FROM scheduled_messages WHERE content = $1", [content]);
    expect(rows).to.have.length(1);
  });

  it("leaves nothing going on beside what it was refused for", async () => {
    const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
    await lockRow(id);
    const twofold = operation({
      id: "twofold",
      method: "POST",
      path: "/api/v1/twofold",
      access: "account",
      summary: "Fails in one part while another goes on",
    });
    const own = await startTestGateway(db, {
      operations: [twofold],
      handlers: [
        handle.inSteps(twofold, async ({ services }) => {
          const edit = services.db.transaction((tx) =>
            tx.rows("UPDATE scheduled_messages SET content = 'on and on' WHERE id = $1", [id]),
          );
          const check = waitFor(async () => (await waiting()) === 1, { what: "the edit waits" });
          await Promise.all([edit, check.then(() => Promise.reject(errors.badRequest("No")))]);
        }),
      ],
    });
    const before = await state();
    const answer = await own.as(member).post("/api/v1/twofold");
    expect(answer.body.msg).to.equal("No");
    expect(await waiting()).to.equal(0);
    await obstacle.query("ROLLBACK");
    expect(await state()).to.deep.equal(before);
    await own.close();
  });

  it("is told that nobody knows, where the network swallows its commit", async () => {
    const proxy = await startFaultProxy(db.url);
    const proxied = await connectDatabase(proxy.url, { max: 5, name: "proxied" });
    const own = await startTestGateway(proxied, { app: { deadlineMs: 6_000 } });
    const before = await state();
    await lockHead();
    const answer = own.as(member).post(path, draft("swallowed"));
    await waitFor(async () => (await waiting()) === 1, { what: "the commit waits" });
    proxy.freeze();
    const { status, body } = await answer;
    expect(status).to.equal(503);
    expect(body.msg).to.contain("cannot tell");
    await waitFor(async () => (await waiting()) === 0, { what: "the server gives up by itself" });
    await obstacle.query("ROLLBACK");
    expect(await state()).to.deep.equal(before);
    await proxy.heal();
    await own.close();
    await proxied.close();
    await proxy.close();
  });

  describe("beside many others", () => {
    it("holds three connections with the others of its account, and leaves the rest to other accounts", async () => {
      const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
      await lockRow(id);
      const edits = Array.from({ length: 12 }, (_, i) =>
        gateway.as(member).patch(`${path}/${id}`, { content: `edit ${i}` }),
      );
      await waitFor(async () => (await waiting()) === 3, { what: "three edits wait for the row" });
      // Each asks for its credentials first: when this one is answered, the others have had theirs.
      const other = await gateway.as(admin).get(path);
      expect(other.status).to.equal(200);
      expect(await waiting()).to.equal(3);
      expect(db.pool.waitingCount).to.equal(0);
      await obstacle.query("ROLLBACK");
      for (const { status } of await Promise.all(edits)) expect(status).to.equal(200);
    });

    it("holds five connections at most while nobody knows whose it is", async () => {
      await obstacle.query("LOCK TABLE users");
      const requests = Array.from({ length: 12 }, () => gateway.as(member).get(path));
      await waitFor(async () => (await waiting()) === 5, { what: "five look-ups wait" });
      expect(db.pool.waitingCount).to.equal(0);
      await obstacle.query("ROLLBACK");
      for (const { status } of await Promise.all(requests)) expect(status).to.equal(200);
    });
  });
});
