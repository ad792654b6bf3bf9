import { once } from "node:events";
import { request } from "node:http";
import { errors, operation } from "@carillon/contract";
import {
  channel,
  channelMessage,
  footprint,
  type Gateway,
  organization,
  scheduledMessage,
  scheduledMessagesPath,
  startBehindProxy,
  startGateway as startTestGateway,
  type TestAccount,
  type TestChannel,
  useDatabase,
  useGateway,
  useBlocker,
} from "@carillon/testkit";
import { expect } from "chai";
import { basic } from "./test-support/sample-gateway.ts";
import { handle } from "./handle.ts";

describe("a request that takes too long", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  // Only what waits for ever meets this deadline on purpose; should a slow machine make it meet others, they are refused too.
  const hasty = useGateway(db, { app: { deadlineMs: 1_500 } });
  let member: TestAccount;
  let admin: TestAccount;
  let room: TestChannel;
  const blocker = useBlocker(db);

  before(async () => {
    const org = await organization(db);
    ({ member, admin } = org);
    room = await channel(db, org.realm, { subscribers: [member, admin] });
  });
  const lockRow = (id: number) =>
    blocker.lock("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [id]);
  const lockHead = () => blocker.lock("SELECT FROM event_head FOR UPDATE");

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
    const before = await footprint(db);
    await lockRow(id);
    const answer = await hasty
      .as(member)
      .patch(`${scheduledMessagesPath}/${id}`, { content: "late" });
    expect(answer.status).to.equal(503);
    expect(answer.body).to.include({ result: "error", code: "INTERNAL_ERROR" });
    expect(await blocker.waiting()).to.equal(0);
    await blocker.release();
    expect(await footprint(db)).to.deep.equal(before);
    const again = await gateway
      .as(member)
      .patch(`${scheduledMessagesPath}/${id}`, { content: "in time" });
    expect(again.status).to.equal(200);
  });

  it("is refused when it waits for the event-log lock at its commit", async () => {
    const before = await footprint(db);
    await lockHead();
    expect(
      (
        await hasty
          .as(member)
          .post(scheduledMessagesPath, channelMessage(room.id, { content: "late" }))
      ).status,
    ).to.equal(503);
    expect(await blocker.waiting()).to.equal(0);
    await blocker.release();
    expect(await footprint(db)).to.deep.equal(before);
  });

  it("is refused when the look-up of its credentials does not end", async () => {
    await blocker.lock("LOCK TABLE users");
    expect((await hasty.as(member).get(scheduledMessagesPath)).status).to.equal(503);
    expect(await blocker.waiting()).to.equal(0);
  });

  it("is refused when its body does not arrive, and the connection ends", async () => {
    const sent = request(`${hasty.url}${scheduledMessagesPath}`, {
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
    const before = await footprint(db);
    await lockRow(id);
    const hangUp = brokenOff(gateway, "PATCH", `${scheduledMessagesPath}/${id}`, {
      content: "nobody listens",
    });
    await blocker.untilWaiting(1, "the edit waits for its row");
    hangUp();
    await blocker.untilWaiting(0, "the edit is cancelled");
    await blocker.release();
    expect(await footprint(db)).to.deep.equal(before);
  });

  it("commits once when its client hangs up after the commit began", async () => {
    const content = "behind the commit";
    const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
    await lockHead();
    await lockRow(id);
    const form = Object.entries(channelMessage(room.id, { content })).map(([name, value]) => [
      name,
      String(value),
    ]);
    const hangUps = [
      brokenOff(gateway, "POST", scheduledMessagesPath, Object.fromEntries(form)),
      brokenOff(gateway, "PATCH", `${scheduledMessagesPath}/${id}`, {
        content: "before the commit",
      }),
    ];
    await blocker.untilWaiting(2, "the commit and the edit wait");
    for (const hangUp of hangUps) hangUp();
    // The edit hung up later, so that the end of both has been noticed.
    await blocker.untilWaiting(1, "the edit is cancelled");
    await blocker.release();
    await blocker.untilWaiting(0, "the commit is through");
    expect((await gateway.as(member).get(scheduledMessagesPath)).text).to.contain(content);
    const rows = await db.rows("SELECT FROM scheduled_messages WHERE content = $1", [content]);
    expect(rows).to.have.length(1);
  });

  it("leaves no work running after its refusal", async () => {
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
          const check = blocker.untilWaiting(1, "the edit waits");
          await Promise.all([edit, check.then(() => Promise.reject(errors.badRequest("No")))]);
        }),
      ],
    });
    const before = await footprint(db);
    const answer = await own.as(member).post("/api/v1/twofold");
    expect(answer.body.msg).to.equal("No");
    expect(await blocker.waiting()).to.equal(0);
    await blocker.release();
    expect(await footprint(db)).to.deep.equal(before);
    await own.close();
  });

  it("reports that the outcome is unknown when the network drops its commit", async () => {
    const way = await startBehindProxy(db, { max: 5 }, () => ({ app: { deadlineMs: 6_000 } }));
    const before = await footprint(db);
    await lockHead();
    const answer = way.gateway
      .as(member)
      .post(scheduledMessagesPath, channelMessage(room.id, { content: "swallowed" }));
    await blocker.untilWaiting(1, "the commit waits");
    way.proxy.freeze();
    const { status, body } = await answer;
    expect(status).to.equal(503);
    expect(body.msg).to.contain("cannot tell");
    await blocker.untilWaiting(0, "the server gives up by itself");
    await blocker.release();
    expect(await footprint(db)).to.deep.equal(before);
    await way.proxy.heal();
    await way.close();
  });

  describe("among many requests", () => {
    it("shares three connections with the other requests of its account", async () => {
      const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
      await lockRow(id);
      const edits = Array.from({ length: 12 }, (_, i) =>
        gateway.as(member).patch(`${scheduledMessagesPath}/${id}`, { content: `edit ${i}` }),
      );
      await blocker.untilWaiting(3, "three edits wait for the row");
      // Each asks for its credentials first: when this one is answered, the others have had theirs.
      const other = await gateway.as(admin).get(scheduledMessagesPath);
      expect(other.status).to.equal(200);
      expect(await blocker.waiting()).to.equal(3);
      expect(db.pool.waitingCount).to.equal(0);
      await blocker.release();
      for (const { status } of await Promise.all(edits)) expect(status).to.equal(200);
    });

    it("shares five connections with all requests whose sender is unknown", async () => {
      await blocker.lock("LOCK TABLE users");
      const ask = () => gateway.as(member).get(scheduledMessagesPath);
      const requests: Array<ReturnType<typeof ask>> = [];
      // Those that come at once share a look-up.
      for (let n = 1; n <= 5; n++) {
        requests.push(ask());
        await blocker.untilWaiting(n, `${n} look-ups wait`);
      }
      requests.push(...Array.from({ length: 7 }, ask));
      // Nobody's key is asked for where there is none: this one comes behind the others.
      expect((await gateway.anonymous.get(scheduledMessagesPath)).status).to.equal(401);
      expect(await blocker.waiting()).to.equal(5);
      expect(db.pool.waitingCount).to.equal(0);
      await blocker.release();
      for (const { status } of await Promise.all(requests)) expect(status).to.equal(200);
    });
  });
});
