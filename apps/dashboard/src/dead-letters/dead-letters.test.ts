import { organization, type TestOrganization } from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard, type AskOptions } from "../test-support.ts";

interface Row {
  readonly id: number;
  readonly job: string;
  readonly lastError: string;
  readonly attempts: number;
}

interface List {
  readonly rows: readonly Row[];
  readonly next?: readonly [number, number];
  readonly jobs: readonly { readonly job: string; readonly count: number }[];
}

describe("dead letters", () => {
  const dashboard = useDashboard();
  let org: TestOrganization;
  let other: TestOrganization;
  let made = 0;

  before(async () => {
    org = await organization(dashboard().db);
    other = await organization(dashboard().db);
  });
  afterEach(async () => {
    await dashboard().db.rows("DELETE FROM job_intent");
    await dashboard().db.rows("DELETE FROM audit_log");
  });

  /** Dead since `ago` seconds. */
  async function dead(
    values: {
      job?: string;
      realmId?: number | null;
      ago?: number;
      error?: string;
      payload?: object;
    } = {},
  ): Promise<number> {
    const { job = "push-notify", realmId = org.realm.id, ago = 60, error = "no route" } = values;
    const { payload = { text: "secret" } } = values;
    const [row] = await dashboard().db.rows<{ id: number }>(
      `INSERT INTO job_intent (realm_id, job, unique_key, payload, state, version, attempts, last_error,
         created_at, run_at, enqueued_at, finished_at)
       VALUES ($1, $2, $3, $6, 'dead', 4, 8, $4, now() - interval '1 day', now() - interval '1 day',
         now() - interval '1 day', now() - make_interval(secs => $5)) RETURNING id`,
      [realmId, job, `${job}-${++made}`, error, ago, payload],
    );
    return row?.id ?? 0;
  }

  const state = async (id: number) =>
    (
      await dashboard().db.rows<Record<string, unknown>>(
        `SELECT state, version, attempts, enqueued_at IS NULL AS unqueued, finished_at IS NULL AS unfinished,
           run_at > now() - interval '1 minute' AS due FROM job_intent WHERE id = $1`,
        [id],
      )
    )[0];
  const audit = () =>
    dashboard().db.rows<{ realm: number; type: string; data: Record<string, unknown> }>(
      `SELECT realm_id AS realm, event_type AS type, extra_data AS data FROM audit_log ORDER BY id`,
    );
  const list = async (query = "") => (await dashboard().json(`/dead-letters${query}`)) as List;
  const replay = (fields: Record<string, string>, options?: AskOptions) =>
    dashboard().post("/dead-letters/replay", fields, options);
  const replayed = async (fields: Record<string, string>) => {
    const answer = await replay(fields);
    expect(answer.status).to.equal(200);
    return ((await answer.json()) as { replayed: number }).replayed;
  };

  const again = {
    state: "pending",
    version: 5,
    attempts: 0,
    unqueued: true,
    unfinished: true,
    due: true,
  };

  it("are listed with their reasons, the latest first, page by page", async () => {
    const ids: number[] = [];
    for (let i = 0; i < 53; i++) ids.unshift(await dead({ ago: 1_000 - i }));
    await dashboard().db.rows(
      "INSERT INTO job_intent (job, unique_key, payload, state) VALUES ('x', 'x', '{}', 'done'), ('x', 'y', '{}', 'pending')",
    );
    const first = await list();
    expect(first.rows.map(({ id }) => id)).to.deep.equal(ids.slice(0, 50));
    expect(first.rows[0]).to.include({ lastError: "no route", attempts: 8 });
    const second = await list(`?after=${first.next?.join("-")}`);
    expect(second.rows.map(({ id }) => id)).to.deep.equal(ids.slice(50));
    expect(second.next).to.equal(undefined);
    const page = await (await dashboard().ask("/dead-letters")).text();
    expect(page)
      .to.contain(`after=${first.next?.join("-")}`)
      .and.contain("everything the filter finds");
  });

  it("are filtered by job and organization", async () => {
    await dead();
    const wanted = await dead({ job: "delete-messages" });
    await dead({ job: "delete-messages", realmId: other.realm.id });
    const query = `?job=delete-messages&realm=${org.realm.id}`;
    const found = await list(query);
    expect(found.rows.map(({ id }) => id)).to.deep.equal([wanted]);
    expect(found.jobs).to.deep.equal([
      { job: "delete-messages", count: 2 },
      { job: "push-notify", count: 1 },
    ]);
    expect((await list("?job=&realm=")).rows).to.have.length(3);
    const page = await (await dashboard().ask(`/dead-letters${query}`)).text();
    expect(page).to.contain('<option value="delete-messages" selected>');
  });

  it("are shown escaped, without the payload, and to the viewer without buttons", async () => {
    await dead({ error: `<img src=x onerror=alert(1)> "quoted"` });
    for (const as of ["operator", "viewer"] as const) {
      const page = await (await dashboard().ask("/dead-letters", { as })).text();
      expect(page).to.contain("&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot;");
      expect(page).not.to.contain("<img").and.not.to.contain("secret");
      expect(page.includes("Replay")).to.equal(as === "operator");
    }
    expect(JSON.stringify(await list())).not.to.contain("secret");
  });

  it("are replayed one by one: pending, with a new version and an entry in the audit log", async () => {
    const id = await dead();
    const untouched = await dead();
    expect(await replayed({ id: String(id) })).to.equal(1);
    expect(await state(id)).to.deep.equal(again);
    expect(await state(untouched)).to.include({ state: "dead", version: 4 });
    const [line, ...more] = await audit();
    expect(more).to.deep.equal([]);
    expect(line).to.deep.include({ realm: org.realm.id, type: "job_replayed" });
    expect(line?.data).to.include({ intent_id: id, version: 5, attempts: 8, operator: "olga" });
  });

  it("are replayed once for concurrent requests", async () => {
    const id = await dead();
    const counts = await Promise.all(
      Array.from({ length: 12 }, () => replayed({ id: String(id) })),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(1);
    expect(await state(id)).to.deep.equal(again);
    expect(await replayed({ id: String(id) })).to.equal(0);
    expect(await audit()).to.have.length(1);
  });

  it("are replayed all together once for concurrent requests", async () => {
    await dashboard().db.rows(
      `INSERT INTO job_intent (realm_id, job, unique_key, payload, state, finished_at)
       SELECT $1, 'push-notify', 'bulk-' || n, '{}', 'dead', now() - interval '1 minute' FROM generate_series(1, 1300) n`,
      [org.realm.id],
    );
    const counts = await Promise.all([1, 2, 3].map(() => replayed({ all: "true" })));
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(1_300);
    const [row] = await dashboard().db.rows(
      "SELECT count(*) FILTER (WHERE state = 'pending' AND version = 2) AS n FROM job_intent",
    );
    expect(row).to.deep.equal({ n: 1_300 });
    expect(await audit()).to.have.length(1_300);
  });

  it("are replayed by a filter, also those without an organization", async () => {
    const chosen = await dead({ job: "delete-messages" });
    const free = await dead({ job: "delete-messages", realmId: null });
    const left = await dead();
    const realm = String(org.realm.id);
    expect(await replayed({ all: "true", job: "delete-messages", realm })).to.equal(1);
    expect(await state(chosen)).to.include({ state: "pending" });
    expect(await state(free)).to.include({ state: "dead" });
    expect(await replayed({ all: "true", job: "delete-messages" })).to.equal(1);
    expect(await state(free)).to.include({ state: "pending" });
    expect(await state(left)).to.include({ state: "dead" });
  });

  it("are not replayed from an old list when they have failed again since", async () => {
    const id = await dead();
    expect(await replayed({ id: String(id), version: "3" })).to.equal(0);
    expect(await replayed({ id: String(id), version: "4" })).to.equal(1);
  });

  it("are not replayed by a viewer or without credentials", async () => {
    const id = String(await dead());
    const refusal = await replay({ id }, { as: "viewer" });
    expect(refusal.status).to.equal(403);
    expect(await refusal.json()).to.deep.equal({
      error: "Only the operator may replay or discard dead letters.",
    });
    const page = await replay({ id }, { as: "viewer", headers: { accept: "text/html" } });
    expect(page.status).to.equal(403);
    expect(await page.text()).to.contain("Only the operator may replay");
    expect((await replay({ id }, { as: "nobody" })).status).to.equal(401);
    expect(await state(Number(id))).to.include({ state: "dead" });
  });

  it("are not replayed by a page of another site", async () => {
    const id = String(await dead());
    const { origin } = dashboard();
    const { host } = new URL(origin);
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://${host}.evil.example` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin },
      { "sec-fetch-site": "none" },
    ];
    for (const headers of foreign) {
      expect((await replay({ id }, { headers })).status, JSON.stringify(headers)).to.equal(403);
    }
    expect(await state(Number(id))).to.include({ state: "dead" });
    expect((await dashboard().ask("/dead-letters/replay?id=1")).status).to.equal(405);
    expect((await replay({ id }, { headers: { origin } })).status).to.equal(200);
    expect(await state(Number(id))).to.include({ state: "pending" });
  });

  it("are replayed by a browser's form, which returns to the list with a message", async () => {
    const id = String(await dead());
    const headers = { accept: "text/html,*/*;q=0.8", origin: dashboard().origin };
    const answer = await replay({ id, version: "4", job: "push-notify" }, { headers });
    expect(answer.status).to.equal(303);
    const location = answer.headers.get("location") ?? "";
    expect(location).to.equal("/dead-letters?job=push-notify&replayed=1");
    expect(await (await dashboard().ask(location)).text()).to.contain("1 dead letter replayed");
    const evil = await dashboard().ask("/dead-letters?replayed=<script>");
    expect(await evil.text()).not.to.contain("<script>");
  });

  it("show the title beside the job's name", async () => {
    const mail = await dead({ job: "send-mail" });
    const unknown = await dead({ job: "of-another-release" });
    const html = { headers: { accept: "text/html" } };
    const text = async (path: string) => (await dashboard().ask(path, html)).text();
    const page = await text("/dead-letters");
    expect(page).to.contain("<td>Mail <code>send-mail</code></td>");
    expect(page).to.contain("<td><code>of-another-release</code></td>");
    expect(page).to.contain(">Mail, send-mail (1)</option>");
    expect(await text(`/look-up?id=${mail}`)).to.contain("Mail <code>send-mail</code>");
    const chosen = [mail, unknown].map((id) => ["chosen", `${id}-4`]);
    const form = new URLSearchParams([["what", "replay"], ...chosen]);
    const preview = await dashboard().ask("/dead-letters/preview", {
      method: "POST",
      body: form,
      ...html,
    });
    expect(await preview.text()).to.contain("<td>Mail <code>send-mail</code></td>");
  });

  it("name the account of a mail", async () => {
    const { db } = dashboard();
    const { admin, guest, member, moderator, owner, realm } = org;
    const named = [
      [admin, "John <b>"],
      [guest, "Paul <b>"],
      [member, "George <b>"],
      [moderator, "Ringo <b>"],
      [owner, "Yoko <b>"],
    ] as const;
    for (const [{ id }, name] of named)
      await db.rows("UPDATE users SET full_name = $2 WHERE id = $1", [id, name]);
    const [entry] = await db.rows<{ id: number }>(
      `INSERT INTO audit_log (realm_id, event_type, modified_user_id) VALUES ($1, 'user_deactivated', $2) RETURNING id`,
      [realm.id, admin.id],
    );
    const [link] = await db.rows<{ id: number }>(
      `INSERT INTO account_links (realm_id, user_id, issuer, subject) VALUES ($1, $2, 'https://idp.test', 'ringo')
       RETURNING id`,
      [realm.id, moderator.id],
    );
    const mails: Array<[string, object]> = [
      ["send-mail", { kind: "account-deactivated", auditId: entry?.id }],
      ["send-mail", { kind: "organization-deactivated", userId: guest.id, actorId: null }],
      ["mail-missed-messages", { userId: member.id, messageIds: [1], more: 0 }],
      ["send-mail", { kind: "identity-linked", linkId: link?.id }],
    ];
    for (const [job, payload] of mails) await dead({ job, payload });
    await dead({ payload: { userId: owner.id } });
    const page = await (await dashboard().ask("/dead-letters")).text();
    for (const [{ id }, name] of named.slice(0, -1))
      expect(page).to.contain(
        `to <bdi>${name.replace("<b>", "&lt;b&gt;")}</bdi> <span class="soft">#${id}</span>`,
      );
    expect(page).not.to.contain("Yoko");
  });

  it("refuse malformed requests, and change nothing", async () => {
    const id = String(await dead());
    const wrong: Record<string, string>[] = [
      {},
      { id: "x" },
      { id: "-1" },
      { id: "99999999999999999999" },
      { all: "yes" },
      { id, all: "true" },
      { all: "true", realm: "x" },
      { all: "true", realm: "99999999999" },
      { all: "true", job: "a'b" },
      { id, version: "x" },
    ];
    for (const fields of wrong) {
      const answer = await replay(fields);
      expect(answer.status, JSON.stringify(fields)).to.equal(400);
      expect(await answer.json()).to.have.property("error");
    }
    const large = await replay({ id, more: "x".repeat(100_000) });
    expect(large.status).to.equal(413);
    for (const query of ["?after=x", "?realm=x", "?job=%00"]) {
      expect((await dashboard().ask(`/dead-letters${query}`)).status, query).to.equal(400);
    }
    expect(await state(Number(id))).to.include({ state: "dead" });
  });
});
