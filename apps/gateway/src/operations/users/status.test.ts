import { getStatus, updateStatus } from "@carillon/contract";
import {
  eventsOf,
  organization,
  refused,
  useDatabase,
  useGateway,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

describe("Status of users", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const update = (by: TestAccount, params: Params) =>
    gateway.as(by).succeed(updateStatus, { params });
  const statusOf = async (account: TestAccount) =>
    (await gateway.as(org.guest).succeed(getStatus, { path: { user_id: account.id } })).status;
  /** The events to all accounts for a request with these parameters. */
  const received = async (by: TestAccount, params: Params) =>
    (await eventsOf(db, org.realm.id, () => update(by, params))).events;
  const smile = { emoji_name: "smile", emoji_code: "1f642", reaction_type: "unicode_emoji" };
  const noEmoji = { emoji_name: "", emoji_code: "", reaction_type: "" };

  it("is empty at first, for bots too", async () => {
    expect(await statusOf(org.member)).to.deep.equal({});
    expect(await statusOf(org.bot)).to.deep.equal({});
  });

  it("is a trimmed text and is sent to all accounts", async () => {
    const events = await received(org.member, { status_text: "  on a walk\n" });
    expect(await statusOf(org.member)).to.deep.equal({ status_text: "on a walk" });
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include({
      type: "user_status",
      op: null,
      audience: null,
      payload: { user_id: org.member.id, status_text: "on a walk" },
    });
  });

  it("is an emoji, by name alone or with its code", async () => {
    const [event] = await received(org.member, { emoji_name: "smile" });
    expect(event?.payload).to.deep.equal({ user_id: org.member.id, ...smile });
    expect(await statusOf(org.member)).to.deep.equal(smile);
    await update(org.owner, smile);
    expect(await statusOf(org.owner)).to.deep.equal(smile);
  });

  it("keeps omitted fields and sends changed ones", async () => {
    await update(org.member, { status_text: "away", ...smile });
    const [text] = await received(org.member, { status_text: "back", ...smile });
    expect(text?.payload).to.deep.equal({ user_id: org.member.id, status_text: "back" });
    const [emoji] = await received(org.member, { emoji_name: "heart" });
    expect(emoji?.payload).to.have.all.keys("user_id", ...Object.keys(smile));
    expect(await statusOf(org.member)).to.include({ status_text: "back", emoji_name: "heart" });
  });

  it("is removed by empty texts, whatever else older clients send", async () => {
    await update(org.member, { status_text: "away", ...smile });
    const [emoji] = await received(org.member, noEmoji);
    expect(emoji?.payload).to.deep.equal({ user_id: org.member.id, ...noEmoji });
    expect(await statusOf(org.member)).to.deep.equal({ status_text: "away" });
    const [text] = await received(org.member, { status_text: " " });
    expect(text?.payload).to.deep.equal({ user_id: org.member.id, status_text: "" });
    expect(await statusOf(org.member)).to.deep.equal({});
  });

  it("sends no event if nothing changes", async () => {
    expect(await received(org.member, { status_text: "", emoji_name: "" })).to.deep.equal([]);
    await update(org.member, { status_text: "away", ...smile });
    for (const same of [{ status_text: "away " }, { emoji_name: "smile" }, smile])
      expect(await received(org.member, same)).to.deep.equal([]);
  });

  it("accepts up to sixty characters of any size in bytes", async () => {
    const longest = "🎉".repeat(60);
    await update(org.member, { status_text: ` ${longest} ` });
    expect(await statusOf(org.member)).to.deep.equal({ status_text: longest });
  });

  it("refuses too long, unknown, contradictory and missing values without a change", async () => {
    await update(org.member, { status_text: "away", ...smile });
    const bad: Params[] = [
      {},
      { away: true },
      { status_text: "a".repeat(61) },
      { status_text: "fine", emoji_name: "no_such_emoji" },
      { emoji_code: "1f642" },
      { reaction_type: "unicode_emoji" },
      { emoji_name: "smile", emoji_code: "1f600" },
      { emoji_name: "smile", reaction_type: "realm_emoji" },
      { emoji_name: "toString" },
    ];
    for (const params of bad)
      await refused(db, () => gateway.as(org.member).call(updateStatus, { params }));
    expect(await statusOf(org.member)).to.deep.equal({ status_text: "away", ...smile });
  });

  it("belongs to people, and is readable within the organization only", async () => {
    const params = { status_text: "x" };
    await refused(db, () => gateway.as(org.bot).call(updateStatus, { params }));
    const other = await organization(db);
    const { events } = await eventsOf(db, other.realm.id, () =>
      update(org.member, { status_text: "ours" }),
    );
    expect(events).to.deep.equal([]);
    for (const user_id of [org.member.id, 2_000_000_000])
      await refused(db, () => gateway.as(other.owner).call(getStatus, { path: { user_id } }));
  });

  it("sends concurrent changes in their order", async () => {
    const { events } = await eventsOf(db, org.realm.id, () =>
      Promise.all(["a", "b", "c", "d"].map((text) => update(org.member, { status_text: text }))),
    );
    expect(await statusOf(org.member)).to.deep.equal({
      status_text: events.at(-1)?.payload["status_text"],
    });
    expect(events).to.have.length(4);
  });
});
