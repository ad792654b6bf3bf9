import { organization, type TestOrganization } from "@carillon/testkit";
import { expect } from "chai";
import type { Finding } from "../readings/verdict.ts";
import { useDashboard } from "../test-support.ts";

interface Overview {
  readonly verdict: { readonly severity: string; readonly findings: readonly Finding[] };
}

describe("acknowledging failures", () => {
  const dashboard = useDashboard();
  let org: TestOrganization;

  before(async () => {
    const { db } = dashboard();
    org = await organization(db);
    await db.rows(
      `INSERT INTO process_heartbeats (process_id, role, host, pid, last_seen)
       SELECT gen_random_uuid(), role, 'h', 1, now() + interval '1 hour' FROM unnest(ARRAY['gateway', 'worker']) AS role`,
    );
  });
  beforeEach(async () => {
    await dashboard().db.rows("DELETE FROM delivery_failures");
    await dashboard().db.rows("DELETE FROM audit_log");
  });

  async function fail(cause: string | null, reason: string, count = 1): Promise<void> {
    await dashboard().db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, due_at, failed_at,
         reason, process, cause)
       SELECT $1, 4000000, 1, 1, $2, now(), clock_timestamp(), $3, 'h:1', $4 FROM generate_series(1, $5::int)`,
      [org.realm.id, org.member.id, reason, cause, count],
    );
  }
  const fresh = { headers: { accept: "application/json" } };
  /** Returns the verdict, read after the cached readings have been dropped. */
  async function overview(): Promise<Overview["verdict"]> {
    await dashboard().post("/failed/acknowledge", { fault: "server", until: "0" });
    return ((await dashboard().json("/", fresh)) as Overview).verdict;
  }
  const findings = async () =>
    (await overview()).findings.map(({ trouble, severity }) => [trouble, severity]);
  const metrics = async () => {
    const text = await (await dashboard().ask("/metrics")).text();
    return [...text.matchAll(/carillon_failures_unacknowledged\{fault="(\w+)"\} (\d+)/g)].map(
      ([, fault, count]) => [fault, Number(count)],
    );
  };

  it("distinguishes faults of the server from refusals, equally on the page and for alerts", async () => {
    await fail("STREAM_DOES_NOT_EXIST", "The channel is archived.", 3);
    await fail("deactivated", "The sender's account was deactivated.", 2);
    expect(await findings()).to.deep.equal([["refused", "warning"]]);
    expect((await overview()).severity).to.equal("warning");
    expect(await metrics()).to.deep.equal([
      ["server", 0],
      ["people", 5],
    ]);
    for (const cause of ["late", "broken", "too-costly"]) await fail(cause, "Something.");
    expect(await findings()).to.deep.equal([
      ["failed", "critical"],
      ["refused", "warning"],
    ]);
    expect((await overview()).severity).to.equal("critical");
    expect(await metrics()).to.deep.equal([
      ["server", 3],
      ["people", 5],
    ]);
  });

  it("classifies failures from older workers, which have no cause, by their reasons", async () => {
    await fail(null, "Something went wrong on the server.");
    await fail(null, "The channel is archived.", 2);
    await overview();
    expect(await metrics()).to.deep.equal([
      ["server", 1],
      ["people", 2],
    ]);
  });

  it("clears the verdict at once, keeps the list, and is recorded once in the audit log", async () => {
    await fail("STREAM_DOES_NOT_EXIST", "The channel is archived.", 3);
    const [refused] = (await overview()).findings;
    expect(refused?.acknowledge?.fault).to.equal("people");
    await fail("deactivated", "After the page was made.");
    const fields = { fault: "people", until: String(refused?.acknowledge?.until) };
    const answers = await Promise.all([
      dashboard().post("/failed/acknowledge", fields),
      dashboard().post("/failed/acknowledge", fields),
    ]);
    const counts = (await Promise.all(answers.map((answer) => answer.json()))) as {
      acknowledged: number;
    }[];
    expect(counts.map(({ acknowledged }) => acknowledged)).to.have.members([0, 3]);
    const left = (await overview()).findings[0];
    expect(left?.details).to.deep.equal(["1 × After the page was made."]);
    expect(await metrics()).to.deep.equal([
      ["server", 0],
      ["people", 1],
    ]);
    const { rows } = (await dashboard().json("/failed")) as { rows: unknown[] };
    expect(rows).to.have.length(4);
    expect(
      await dashboard().db.rows("SELECT realm_id AS realm, extra_data AS data FROM audit_log"),
    ).to.deep.equal([
      { realm: org.realm.id, data: { count: 3, fault: "people", operator: "olga" } },
    ]);
  });

  it("is refused for viewers, for pages of other sites, and without a selection", async () => {
    await fail("late", "Late.");
    const fields = { fault: "server", until: "9999999999999999" };
    const status = async (asking: object, given: Record<string, string> = fields) =>
      (await dashboard().post("/failed/acknowledge", given, asking)).status;
    expect(await status({ as: "viewer" })).to.equal(403);
    expect(await status({ headers: { origin: "https://evil.example" } })).to.equal(403);
    expect(await status({}, { fault: "x", until: "1" })).to.equal(400);
    expect(await status({}, { fault: "server" })).to.equal(400);
    expect(await findings()).to.deep.equal([["failed", "critical"]]);
    const page = async (as: "operator" | "viewer") => (await dashboard().ask("/", { as })).text();
    expect(await page("operator")).to.match(/Acknowledge server errors/);
    expect(await page("viewer")).not.to.include("Acknowledge");
  });
});
