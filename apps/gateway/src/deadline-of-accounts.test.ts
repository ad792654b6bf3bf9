import {
  bot,
  footprint,
  organization,
  profileField,
  startBehindProxy,
  succeeded,
  type Answer,
  type Gateway,
  type TestAccount,
  type TestOrganization,
  unique,
  useDatabase,
  useGateway,
  useBlocker,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

/** A request, made of a gateway. */
type Ask = (gateway: Gateway) => Promise<Answer>;

// docs/decisions/011: an error answer says that nothing has happened and nothing will.
describe("a change of an account that exceeds the deadline", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const hasty = useGateway(db, { app: { deadlineMs: 1_500 } });
  const blocker = useBlocker(db);
  let org: TestOrganization;
  let machine: TestAccount;
  let changes: Readonly<Record<string, Ask>>;
  let stored: Readonly<Record<string, Ask>>;
  before(async () => {
    org = await organization(db);
    machine = await bot(db, org.admin);
    const { owner, member, moderator, guest } = org;
    const target = await user(db, org.realm);
    const field = await profileField(db, org.realm);
    const draft = { type: "private", to: [member.id], topic: "", content: "a draft" };
    const made = await gateway.as(guest).post("/api/v1/drafts", { drafts: [draft, draft] });
    const [one, two] = succeeded(made)["ids"] as number[];
    await gateway.as(machine).put("/api/v1/bot_storage", { storage: { old: "value" } });
    const say = (value: string) => ({ data: [{ id: field.id, value }] });
    changes = {
      "POST /drafts": (by) => by.as(moderator).post("/api/v1/drafts", { drafts: [draft] }),
      "PATCH /drafts": (by) =>
        by.as(guest).patch(`/api/v1/drafts/${one}`, { draft: { ...draft, content: "late" } }),
      "DELETE /drafts": (by) => by.as(guest).delete(`/api/v1/drafts/${two}`),
      "PATCH /users/me/profile_data": (by) =>
        by.as(member).patch("/api/v1/users/me/profile_data", say("late")),
      "POST /realm/profile_fields": (by) =>
        by.as(owner).post("/api/v1/realm/profile_fields", { name: unique("late"), field_type: 1 }),
      "PATCH /users/{id}": (by) =>
        by.as(owner).patch(`/api/v1/users/${target.id}`, { full_name: unique("late"), role: 300 }),
      "PATCH /bots/{id}": (by) =>
        by.as(org.admin).patch(`/api/v1/bots/${machine.id}`, { bot_owner_id: owner.id }),
      "POST /users/me/alert_words": (by) =>
        by.as(member).post("/api/v1/users/me/alert_words", { alert_words: ["late"] }),
      "DELETE /users/{id}": (by) => by.as(org.admin).delete(`/api/v1/users/${target.id}`),
    };
    const storage = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`key ${n}`, "x".repeat(70_000)]),
    );
    stored = {
      "PUT /bot_storage": (by) => by.as(machine).put("/api/v1/bot_storage", { storage }),
      "DELETE /bot_storage": (by) => by.as(machine).delete("/api/v1/bot_storage"),
    };
  });

  /** Makes the requests, which all have to be answered that they took too long, and to have changed nothing. */
  async function tooLate(asks: readonly Ask[]): Promise<void> {
    const before = await footprint(db);
    for (const { status, text } of await Promise.all(asks.map((ask) => ask(hasty))))
      expect(status, text).to.equal(503);
    expect(await blocker.waiting()).to.equal(0);
    await blocker.release();
    expect(await footprint(db)).to.deep.equal(before);
  }

  it("changes nothing later when it waits for the event-log lock at its commit", async () => {
    await blocker.lock("SELECT FROM event_head FOR UPDATE");
    await tooLate(Object.values(changes));
  });

  it("changes nothing later when it waits for a row lock", async () => {
    await blocker.lock(
      "LOCK TABLE drafts, custom_profile_field_values, custom_profile_fields, audit_log, alert_word_owners IN SHARE MODE",
    );
    await tooLate(Object.values(changes));
  });

  it("changes nothing later when a part of a bot's storage is written", async () => {
    await blocker.lock("LOCK TABLE bot_storage_usage IN SHARE MODE");
    await tooLate(Object.values(stored));
  });

  it("changes nothing later when the connection to the database freezes", async () => {
    const way = await startBehindProxy(db, { max: 5 }, () => ({ app: { deadlineMs: 5_000 } }));
    const before = await footprint(db);
    await blocker.lock("LOCK TABLE bot_storage_parts, drafts IN SHARE MODE");
    const asks = [stored["PUT /bot_storage"], changes["POST /drafts"]];
    const answers = Promise.all(asks.map((ask) => ask?.(way.gateway)));
    await blocker.untilWaiting(2, "both wait for what they write");
    way.proxy.freeze();
    for (const answer of await answers) expect(answer?.status, answer?.text).to.equal(503);
    await blocker.untilWaiting(0, "the server gives up by itself");
    await blocker.release();
    await way.proxy.heal();
    expect(await footprint(db)).to.deep.equal(before);
    await way.close();
  });

  it("succeeds when it is sent again", async () => {
    for (const [what, ask] of Object.entries({ ...stored, ...changes })) {
      const { status, text } = await ask(gateway);
      expect(status, `${what}: ${text}`).to.equal(200);
    }
  });
});
