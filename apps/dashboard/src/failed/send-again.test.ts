import { deactivateUser, rescheduleFailed, type ReschedulingResult } from "@carillon/domain";
import {
  channel,
  deliver,
  eventsOf,
  organization,
  scheduledMessage,
  storedRow,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard } from "../test-support.ts";
import type { FailedPage } from "./list.ts";

describe("sending failed messages again", () => {
  const dashboard = useDashboard();
  let org: TestOrganization;
  let author: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db } = dashboard();
    org = await organization(db);
    author = await user(db, org.realm, { fullName: "Ada Author" });
    room = await channel(db, org.realm, { name: "fixed room", subscribers: [author] });
  });

  /** A message that has failed, with its failure. */
  async function failed(of: TestAccount = author, to: TestChannel = room): Promise<string> {
    const { db } = dashboard();
    // The maximum number of tries: the delivery would fail it at once if the count were not reset.
    const row = { failed: true, attempts: 6, retryAt: new Date(Date.now() + 3_600_000) };
    const { id } = await scheduledMessage(db, of, to, { row });
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at, reason, process)
       SELECT realm_id, id, version, kind, sender_id, channel_id, deliver_at, 'No.', 'h:1' FROM scheduled_messages WHERE id = $1`,
      [id],
    );
    return `${id}-1`;
  }
  const idOf = (chosen: string) => Number(chosen.split("-")[0]);

  /** Posts a form. Several of its fields may have the same name. */
  async function send(
    fields: ReadonlyArray<readonly [string, string]>,
    asking: { as?: "operator" | "viewer" | "nobody"; path?: string; headers?: object } = {},
  ): Promise<Response> {
    const { path = "/failed/send", as = "operator", headers } = asking;
    return dashboard().ask(path, {
      method: "POST",
      as,
      body: new URLSearchParams(fields.map(([name, value]) => [name, value])),
      headers: { accept: "application/json", ...headers },
    });
  }
  const result = async (response: Response) => (await response.json()) as ReschedulingResult;
  const audits = () =>
    dashboard().db.rows<{ userId: number; data: Record<string, unknown> }>(
      `SELECT modified_user_id AS "userId", extra_data AS data FROM audit_log
       WHERE realm_id = $1 AND event_type = 'scheduled_message_rescheduled' ORDER BY id`,
      [org.realm.id],
    );

  it("sends as the author, whose clients see an edit, and is recorded in the audit log", async () => {
    const { db } = dashboard();
    const chosen = await failed();
    const { result: answer, events } = await eventsOf(db, org.realm.id, () =>
      send([
        ["when", "now"],
        ["chosen", chosen],
      ]),
    );
    expect(await result(answer)).to.deep.equal({ rescheduled: 1, refused: [], unchanged: 0 });
    expect(events.map(({ type, op, audience }) => [type, op, audience])).to.deep.equal([
      ["scheduled_messages", "update", [author.id]],
    ]);
    expect(events[0]?.payload).to.have.nested.property("scheduled_message.failed", false);
    expect(await storedRow(db, idOf(chosen))).to.include({ failed: false, version: 2 });
    const [line] = await audits();
    expect(line?.userId).to.equal(author.id);
    expect(line?.data).to.include({
      operator: "olga",
      scheduled_message_id: idOf(chosen),
      version: 2,
    });
    await deliver(db, org.realm);
    const row = await storedRow(db, idOf(chosen));
    expect(row).to.include({ delivered: true, failed: false });
    const [message] = await db.rows<{ sender: number }>(
      "SELECT sender_id AS sender FROM messages WHERE id = $1",
      [row?.deliveredMessageId],
    );
    expect(message?.sender).to.equal(author.id);
  });

  it("sends once for repeated and concurrent requests, and skips messages edited since", async () => {
    const { db } = dashboard();
    const chosen = await failed();
    const fields = [
      ["when", "now"],
      ["chosen", chosen],
    ] as const;
    const results = await Promise.all(
      Array.from({ length: 5 }, async () => result(await send(fields))),
    );
    expect(results.map(({ rescheduled }) => rescheduled)).to.have.members([0, 0, 0, 0, 1]);
    await deliver(db, org.realm);
    expect(await result(await send(fields))).to.include({ rescheduled: 0, unchanged: 1 });
    expect(await audits()).to.have.length(1);
    const again = await failed();
    await db.rows("UPDATE scheduled_messages SET version = 9 WHERE id = $1", [idOf(again)]);
    expect(
      await result(
        await send([
          ["when", "now"],
          ["chosen", again],
        ]),
      ),
    ).to.include({ rescheduled: 0, unchanged: 1 });
  });

  it("refuses messages that would fail again, with advice, and sends the others", async () => {
    const { db } = dashboard();
    const gone = await user(db, org.realm, { fullName: "Gus Gone" });
    const shut = await channel(db, org.realm, { name: "shut room", subscribers: [author] });
    const [good, ofGone, inShut] = [await failed(), await failed(gone), await failed(author, shut)];
    await deactivateUser(db, org.owner, gone.id, {});
    await db.rows("UPDATE channels SET is_archived = true WHERE id = $1", [shut.id]);
    const fields = [
      ["when", "now"] as const,
      ...[good, ofGone, inShut].map((id) => ["chosen", id] as const),
    ];
    const preview = await result(await send(fields, { path: "/failed/preview" }));
    const { rescheduled, refused } = await result(await send(fields));
    expect(rescheduled).to.equal(1);
    expect(preview).to.deep.include({ rescheduled, refused });
    expect(refused).to.deep.equal([
      {
        id: idOf(ofGone),
        reason:
          "The account of Gus Gone is deactivated: have an administrator reactivate it, then send again.",
      },
      {
        id: idOf(inShut),
        reason:
          "The channel shut room is archived: have an administrator unarchive it, then send again.",
      },
    ]);
    expect(await storedRow(db, idOf(ofGone))).to.include({ failed: true, version: 1 });
    await db.rows("UPDATE users SET is_active = true WHERE id = $1", [gone.id]);
    expect(
      await result(
        await send([
          ["when", "now"],
          ["chosen", ofGone],
        ]),
      ),
    ).to.include({
      rescheduled: 1,
    });
  });

  it("reschedules all messages of a filter, in batches, except those that failed after the preview", async () => {
    const { db } = dashboard();
    const first = await failed();
    for (let i = 0; i < 2; i++) await failed();
    await db.rows(
      `WITH many AS (
         INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, content, rendered_content, client_id,
           deliver_at, read_by_sender, failed)
         SELECT realm_id, sender_id, recipient_id, channel_id, 'x', repeat('y', 9000), client_id, deliver_at, false, true
         FROM scheduled_messages, generate_series(1, 500) WHERE id = $1 RETURNING *)
       INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at, reason, process)
       SELECT realm_id, id, version, kind, sender_id, channel_id, deliver_at, 'No.', 'h:1' FROM many`,
      [idOf(first)],
    );
    const filter = [
      ["realm", `#${org.realm.id}`],
      ["when", "at"],
      ["at", "2099-01-02 03:04"],
      ["all", "true"],
    ] as const;
    const preview = (await (await send(filter, { path: "/failed/preview" })).json()) as {
      rescheduled: number;
      before: number;
    };
    expect(preview.rescheduled).to.equal(503);
    const later = await failed();
    const confirmed = await result(await send([...filter, ["before", String(preview.before)]]));
    expect(confirmed).to.deep.include({ rescheduled: 503, unchanged: 0 });
    expect(await storedRow(db, idOf(later))).to.include({ failed: true });
    const times = await db.rows<{ at: number; count: number }>(
      `SELECT extract(epoch FROM deliver_at)::bigint AS at, count(*)::int AS count FROM scheduled_messages
       WHERE realm_id = $1 AND NOT failed GROUP BY 1`,
      [org.realm.id],
    );
    expect(times).to.deep.equal([{ at: Date.UTC(2099, 0, 2, 3, 4) / 1_000, count: 503 }]);
    expect(await audits()).to.have.length(503);
  });

  it("is refused for viewers, without credentials, for other sites' pages, and for invalid times", async () => {
    const { db } = dashboard();
    const chosen = await failed();
    const now = [
      ["when", "now"],
      ["chosen", chosen],
    ] as const;
    expect((await send(now, { as: "viewer" })).status).to.equal(403);
    expect((await send(now, { as: "nobody" })).status).to.equal(401);
    expect((await send(now, { headers: { origin: "https://evil.example" } })).status).to.equal(403);
    for (const wrong of [
      [["when", "now"]],
      [["chosen", chosen]],
      [
        ["when", "at"],
        ["chosen", chosen],
      ],
      [
        ["when", "at"],
        ["at", "2001-01-01"],
        ["chosen", chosen],
      ],
      [
        ["when", "at"],
        ["at", "tomorrow"],
        ["chosen", chosen],
      ],
      [
        ["when", "now"],
        ["chosen", "x"],
      ],
      [
        ["when", "now"],
        ["all", "yes"],
        ["chosen", chosen],
      ],
    ] as const)
      expect((await send(wrong)).status, JSON.stringify(wrong)).to.equal(400);
    expect(await storedRow(db, idOf(chosen))).to.include({ failed: true, version: 1 });
    const error = await rescheduleFailed(db, [{ id: idOf(chosen) }], {
      operator: "cli",
      deliverAt: 1,
    }).catch((thrown: Error) => thrown.message);
    expect(error).to.equal("The new time must be in the future");
  });

  it("is offered to the operator for messages that are still failed, and confirmed by the page's form", async () => {
    const chosen = await failed();
    const list = (await dashboard().json(`/failed?realm=%23${org.realm.id}`)) as FailedPage;
    expect(list.rows.map(({ sendable }) => sendable)).to.deep.equal([true]);
    const page = await (await dashboard().ask(`/failed?realm=%23${org.realm.id}`)).text();
    expect(page).to.include(`value="${chosen}"`).and.include("Send now");
    expect(await (await dashboard().ask("/failed", { as: "viewer" })).text()).not.to.include(
      "Send now",
    );
    const preview = await dashboard().ask("/failed/preview", {
      method: "POST",
      body: new URLSearchParams({ when: "now", chosen, realm: `#${org.realm.id}` }),
    });
    const text = await preview.text();
    expect(text).to.include("Send 1 again?");
    const fields = new URLSearchParams(
      [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]) => [name, value],
      ),
    );
    const done = await dashboard().ask("/failed/send", { method: "POST", body: fields });
    expect(done.status).to.equal(303);
    const location = done.headers.get("location") ?? "";
    expect(location).to.include("sent=1");
    expect(await (await dashboard().ask(location)).text()).to.include("Messages rescheduled: 1.");
  });
});
