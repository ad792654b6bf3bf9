import {
  channel,
  eventsSince,
  lastEventSeq,
  makeDue,
  organization,
  refused,
  runJob,
  scheduledMessage,
  type Params,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { deliverDue } from "@carillon/jobs";
import { expect } from "chai";

/** Two organizations in one database: neither can observe the other's data. */
describe("Two organizations", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let here: TestOrganization;
  let there: TestOrganization;
  let ours: TestChannel;
  let theirs: TestChannel;

  beforeEach(async () => {
    here = await organization(db);
    there = await organization(db);
    ours = await channel(db, here.owner, { subscribers: [here.member, here.owner] });
    theirs = await channel(db, there.owner, { subscribers: [there.member, there.owner] });
  });

  const soon = () => Math.floor(Date.now() / 1_000) + 3_600;
  const as = (account: TestAccount) => gateway.as(account);

  it("refuse each other's channels and people as recipients", async () => {
    const member = as(here.member);
    const common = { content: "hello", topic: "t", scheduled_delivery_timestamp: soon() };
    const schedule = (params: Params) => () =>
      member.post("/api/v1/scheduled_messages", { ...common, ...params });
    const send = (params: Params) => () =>
      member.post("/api/v1/messages", { content: "hello", ...params });
    const toChannel = schedule({ type: "channel", to: theirs.id });
    await refused(db, toChannel, "STREAM_DOES_NOT_EXIST", { stream_id: theirs.id });
    await refused(db, schedule({ type: "direct", to: [there.member.id] }), "BAD_REQUEST");
    const byName = send({ type: "channel", to: theirs.name, topic: "t" });
    await refused(db, byName, "STREAM_DOES_NOT_EXIST", { stream: theirs.name });
    await refused(db, send({ type: "direct", to: there.member.email }), "BAD_REQUEST");
  });

  it("do not find, edit or delete each other's scheduled messages", async () => {
    const row = await scheduledMessage(db, there.member, theirs);
    const path = `/api/v1/scheduled_messages/${row.id}`;
    for (const ask of [
      () => as(here.owner).patch(path, { content: "mine" }),
      () => as(here.owner).delete(path),
    ])
      await refused(db, ask, "BAD_REQUEST", {}, 404);
    const listed = await as(here.owner).get("/api/v1/scheduled_messages");
    expect(listed.body["scheduled_messages"]).to.deep.equal([]);
  });

  it("do not read each other's messages, by narrow or by ID", async () => {
    const sent = await as(there.member).post("/api/v1/messages", {
      type: "channel",
      to: theirs.id,
      topic: "t",
      content: "secret",
    });
    const window = { anchor: "newest", num_before: 10, num_after: 0 };
    for (const narrow of [
      [{ operator: "channel", operand: theirs.id }],
      [{ operator: "channel", operand: theirs.name }],
      [{ operator: "sender", operand: there.member.id }],
      [{ operator: "dm", operand: [there.member.id] }],
    ]) {
      const answer = await as(here.owner).get("/api/v1/messages", { ...window, narrow });
      expect(answer.body, JSON.stringify(narrow)).to.include({ code: "BAD_NARROW" });
    }
    const byId = await as(here.owner).get("/api/v1/messages", { message_ids: [sent.body["id"]] });
    expect(byId.body["messages"]).to.deep.equal([]);
    const everything = await as(here.owner).get("/api/v1/messages", {
      ...window,
      narrow: [{ operator: "channels", operand: "public" }],
    });
    expect(everything.body["messages"]).to.deep.equal([]);
  });

  it("do not see each other's accounts and channels, and cannot give them permissions", async () => {
    const owner = as(here.owner);
    const account = await owner.get(`/api/v1/users/${there.member.id}`);
    expect(account.body).to.include({ code: "BAD_REQUEST" });
    const listed = await owner.get("/api/v1/users");
    const ids = (listed.body["members"] as Array<{ user_id: number }>).map(
      ({ user_id }) => user_id,
    );
    expect(ids).to.include(here.member.id).and.not.include(there.member.id);
    const streams = await owner.get("/api/v1/streams", { include_all: true });
    const names = (streams.body["streams"] as Array<{ stream_id: number }>).map(
      (one) => one.stream_id,
    );
    expect(names).to.include(ours.id).and.not.include(theirs.id);
    const group = there.groups["role:members"];
    const created = await owner.post("/api/v1/channels/create", {
      name: "borrowed",
      subscribers: [],
      can_send_message_group: group,
    });
    expect(created.body).to.include({ code: "BAD_REQUEST" });
    const subscribed = await owner.post("/api/v1/users/me/subscriptions", {
      subscriptions: [{ name: ours.name }],
      principals: [there.member.id],
    });
    expect(subscribed.body).to.include({ code: "BAD_REQUEST" });
  });

  it("may use the same names and addresses, and mention their own people only", async () => {
    const twin = await user(db, there.realm, { fullName: here.member.fullName });
    const same = await channel(db, there.owner, { name: ours.name, subscribers: [twin] });
    expect(same.name).to.equal(ours.name);
    const rendered = await as(here.owner).post("/api/v1/messages/render", {
      content: `@**${here.member.fullName}** @**|${twin.id}**`,
    });
    const html = String(rendered.body["rendered"]);
    expect(html).to.include(`data-user-id="${here.member.id}"`);
    expect(html).to.not.include(`data-user-id="${twin.id}"`);
  });

  it("deliver messages and send events within the organization only", async () => {
    const mine = await scheduledMessage(db, here.member, ours);
    const other = await scheduledMessage(db, there.member, theirs);
    await makeDue(db, mine.id);
    await makeDue(db, other.id);
    const before = await lastEventSeq(db, there.realm.id);
    await runJob(db, deliverDue, { realmId: here.realm.id, second: 1 });
    const rows = await db.rows<{ id: number; delivered: boolean }>(
      "SELECT id, delivered FROM scheduled_messages WHERE id = ANY($1::bigint[]) ORDER BY id",
      [[mine.id, other.id]],
    );
    expect(rows).to.deep.equal([
      { id: mine.id, delivered: true },
      { id: other.id, delivered: false },
    ]);
    expect(await eventsSince(db, there.realm.id, before)).to.deep.equal([]);
  });

  it("refuse a key with an address of the other organization", async () => {
    const mixed = gateway.as({ ...here.member, deliveryEmail: there.member.deliveryEmail });
    await refused(db, () => mixed.get("/api/v1/users/me"), "UNAUTHORIZED");
  });
});
