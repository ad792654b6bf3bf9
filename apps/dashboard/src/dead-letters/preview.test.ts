import { organization, type TestOrganization } from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard } from "../test-support.ts";
import { readableReason } from "./reason.ts";

interface Preview {
  readonly action: string;
  readonly count: number;
  readonly before: number;
  readonly groups: ReadonlyArray<{ job: string; realmName: string | null; count: number }>;
}

describe("dead letters, selected and previewed", () => {
  const dashboard = useDashboard();
  let org: TestOrganization;
  let made = 0;

  before(async () => {
    org = await organization(dashboard().db);
    await dashboard().db.rows("UPDATE realms SET name = 'Acme <b>' WHERE id = $1", [org.realm.id]);
  });
  afterEach(async () => {
    await dashboard().db.rows("DELETE FROM job_intent");
    await dashboard().db.rows("DELETE FROM audit_log");
  });

  async function dead(
    job = "send-mail",
    error = "no route",
    realmId: number | null = org.realm.id,
  ): Promise<number> {
    const [row] = await dashboard().db.rows<{ id: number }>(
      `INSERT INTO job_intent (realm_id, job, unique_key, payload, state, version, attempts, last_error, finished_at)
       VALUES ($1, $2, $3, '{"text": "secret"}', 'dead', 4, 8, $4, now() - interval '1 minute') RETURNING id`,
      [realmId, job, `${job}-${++made}`, error],
    );
    return row?.id ?? 0;
  }

  const states = () =>
    dashboard().db.rows<{ id: number; state: string; version: number }>(
      "SELECT id, state, version FROM job_intent ORDER BY id",
    );
  const audit = () =>
    dashboard().db.rows<{ type: string; data: Record<string, unknown> }>(
      "SELECT event_type AS type, extra_data AS data FROM audit_log WHERE event_type LIKE 'job_%' ORDER BY id",
    );
  const form = (pairs: ReadonlyArray<readonly [string, string]>) =>
    new URLSearchParams(pairs.map(([name, value]) => [name, value]));
  const post = async (
    path: string,
    pairs: ReadonlyArray<readonly [string, string]>,
    accept = "application/json",
  ) =>
    dashboard().ask(`/dead-letters/${path}`, {
      method: "POST",
      body: form(pairs),
      headers: { accept },
    });
  const json = async <T>(path: string, pairs: ReadonlyArray<readonly [string, string]>) =>
    (await (await post(path, pairs)).json()) as T;
  /** The fields of the form of a page that leads to `action`. */
  function fieldsIn(page: string, action: string): Array<readonly [string, string]> {
    const text = page.slice(page.indexOf(`action="/dead-letters/${action}"`));
    return [
      ...text
        .slice(0, text.indexOf("</form>"))
        .matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g),
    ].map(([, name = "", value = ""]) => [name, value] as const);
  }

  it("are previewed without a change, and changed once when the page's form is sent twice", async () => {
    const ids = [await dead(), await dead(), await dead("mark-read")];
    const chosen = ids.slice(0, 2).map((id) => ["chosen", `${id}-4`] as const);
    const shown = await json<Preview>("preview", [["what", "replay"], ...chosen]);
    expect(shown).to.deep.include({ action: "replay", count: 2 });
    expect(shown.groups).to.deep.equal([
      { job: "send-mail", realmId: org.realm.id, realmName: "Acme <b>", count: 2 },
    ]);
    const page = await (await post("preview", [["what", "replay"], ...chosen], "text/html")).text();
    expect(page).to.contain("Replay 2?").and.contain("Acme &lt;b&gt;").and.not.contain("secret");
    expect((await states()).every(({ state }) => state === "dead")).to.equal(true);

    const fields = fieldsIn(page, "replay");
    expect(fields).to.deep.equal(chosen);
    const twice = await Promise.all([1, 2].map(() => json<{ replayed: number }>("replay", fields)));
    expect(twice.reduce((sum, { replayed }) => sum + replayed, 0)).to.equal(2);
    expect(await json("replay", fields)).to.deep.equal({ replayed: 0 });
    expect((await states()).map(({ state, version }) => [state, version])).to.deep.equal([
      ["pending", 5],
      ["pending", 5],
      ["dead", 4],
    ]);
    expect((await audit()).map(({ type, data }) => [type, data["operator"]])).to.deep.equal([
      ["job_replayed", "olga"],
      ["job_replayed", "olga"],
    ]);
  });

  it("are discarded: deleted, with an entry in the audit log and in the dashboard's log, and their keys can be reused", async () => {
    const id = await dead("send-mail", "no\nroute");
    const kept = await dead();
    const pairs = [["chosen", `${id}-4`]] as const;
    const page = await (await post("preview", [["what", "discard"], ...pairs], "text/html")).text();
    expect(page).to.contain("Discard 1?").and.contain("The jobs are deleted and never run");
    const answer = await post("discard", fieldsIn(page, "discard"), "text/html");
    expect(answer.status).to.equal(303);
    expect(answer.headers.get("location")).to.equal("/dead-letters?discarded=1");
    expect((await states()).map((row) => row.id)).to.deep.equal([kept]);
    expect(await json("discard", [...pairs])).to.deep.equal({ discarded: 0 });
    const [line, ...more] = await audit();
    expect(more).to.deep.equal([]);
    expect(line?.type).to.equal("job_discarded");
    expect(line?.data).to.include({
      intent_id: id,
      job: "send-mail",
      attempts: 8,
      error: "no\nroute",
      operator: "olga",
    });
    expect(await (await dashboard().ask("/dead-letters?discarded=1")).text()).to.contain(
      "1 dead letter discarded",
    );
  });

  it("are either replayed or discarded when both are requested at once", async () => {
    for (let i = 0; i < 20; i++) await dead();
    const all = [["all", "true"]] as const;
    const [{ replayed }, { discarded }] = await Promise.all([
      json<{ replayed: number }>("replay", [...all]),
      json<{ discarded: number }>("discard", [...all]),
    ]);
    expect(replayed + discarded).to.equal(20);
    const left = await states();
    expect(left).to.have.length(replayed);
    expect(left.every(({ state }) => state === "pending")).to.equal(true);
    expect(await audit()).to.have.length(20);
  });

  it("include, for a filter, only those that were dead at the preview", async () => {
    const { db } = dashboard();
    const seen = await dead("send-mail", "Connection REFUSED by peer");
    await dead("send-mail", "something else");
    const filter = [["error", "refused"]] as const;
    const page = await (
      await post("preview", [["what", "replay"], ["all", "true"], ...filter], "text/html")
    ).text();
    const fields = fieldsIn(page, "replay");
    expect(fields.map(([name]) => name)).to.deep.equal(["error", "all", "before"]);
    const later = await dead("send-mail", "refused again");
    await db.rows("UPDATE job_intent SET finished_at = now() WHERE id = $1", [later]);
    expect(await json("replay", fields)).to.deep.equal({ replayed: 1 });
    expect((await states()).find(({ id }) => id === seen)?.state).to.equal("pending");
    // After it has failed again, the same confirmation does not replay it.
    await db.rows("UPDATE job_intent SET state = 'dead', finished_at = now() WHERE id = $1", [
      seen,
    ]);
    expect(await json("replay", fields)).to.deep.equal({ replayed: 0 });
  });

  it("are found by a text in their errors, regardless of case and with any characters", async () => {
    const { json: get, ask } = dashboard();
    const found = await dead("send-mail", "50%_off: <IMG> Timed Out");
    await dead("send-mail", "50 off");
    const list = async (error: string) =>
      (
        (await get(`/dead-letters?${new URLSearchParams({ error }).toString()}`)) as {
          rows: { id: number; reason: string }[];
        }
      ).rows;
    for (const text of ["%_", "timed out", "<img>"])
      expect(
        (await list(text)).map(({ id }) => id),
        text,
      ).to.deep.equal([found]);
    expect(await list("nothing of this")).to.deep.equal([]);
    expect((await ask("/dead-letters?error=%00")).status).to.equal(400);
    expect((await ask(`/dead-letters?error=${"x".repeat(201)}`)).status).to.equal(400);
    const page = await (await ask(`/dead-letters?error=${encodeURIComponent("<img>")}`)).text();
    expect(page).to.contain('value="&lt;img&gt;"').and.not.contain("<img");
  });

  it("report a selection without dead letters, and an empty one", async () => {
    const id = await dead();
    expect(
      await json<Preview>("preview", [
        ["what", "discard"],
        ["chosen", `${id}-3`],
      ]),
    ).to.include({ count: 0 });
    const page = await (
      await post(
        "preview",
        [
          ["what", "discard"],
          ["chosen", `${id}-3`],
        ],
        "text/html",
      )
    ).text();
    expect(page).to.contain("Discard nothing").and.not.contain('action="/dead-letters/discard"');
    for (const pairs of [
      [["what", "replay"]],
      [
        ["what", "burn"],
        ["all", "true"],
      ],
      [["chosen", `${id}-4`]],
      [
        ["what", "replay"],
        ["chosen", "x-4"],
      ],
      [
        ["what", "replay"],
        ["chosen", `${id}`],
      ],
      [
        ["what", "replay"],
        ["all", "true"],
        ["before", "then"],
      ],
    ] as const)
      expect((await post("preview", pairs)).status, JSON.stringify(pairs)).to.equal(400);
  });

  it("are neither previewed nor discarded by a viewer, without credentials, or for a page of another site", async () => {
    const id = await dead();
    const body = form([
      ["what", "discard"],
      ["chosen", `${id}-4`],
    ]);
    for (const path of ["preview", "discard", "replay"]) {
      const ask = (asking: object) =>
        dashboard().ask(`/dead-letters/${path}`, { method: "POST", body, ...asking });
      expect((await ask({ as: "viewer" })).status, path).to.equal(403);
      expect((await ask({ as: "nobody" })).status, path).to.equal(401);
      for (const headers of [
        { origin: "https://evil.example" },
        { "sec-fetch-site": "cross-site" },
      ])
        expect((await ask({ headers })).status, path).to.equal(403);
    }
    expect(await states()).to.deep.equal([{ id, state: "dead", version: 4 }]);
    expect(await audit()).to.deep.equal([]);
  });
});

describe("the reason of a dead letter", () => {
  it("is shortened to one readable line", () => {
    const prisma =
      "\nInvalid `prisma.user.update()` invocation in\n/app/dist/main.js:10:5\n\n  9 x\n→ 10 y\nRecord to update not found.";
    for (const [error, line] of [
      ["no route", "no route"],
      ["no   route\n    at main.js:1", "no route"],
      ["\n\n  second line", "second line"],
      [prisma, "Record to update not found."],
      [null, "no reason was recorded"],
      ["x".repeat(500), `${"x".repeat(160)}…`],
    ] as const)
      expect(readableReason(error)).to.equal(line);
  });
});
