import {
  channel,
  organization,
  scheduledMessage,
  type TestChannel,
  type TestOrganization,
  user,
} from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard, withhold } from "../test-support.ts";
import type { FoundMany } from "./look-up.ts";

describe("looking messages up by account, channel and time", () => {
  const dashboard = useDashboard();
  let org: TestOrganization;
  let other: TestOrganization;
  let room: TestChannel;

  before(async () => {
    const { db } = dashboard();
    org = await organization(db);
    other = await organization(db);
    room = await channel(db, org.member, { name: "Kitchen <i>" });
    await channel(db, other.member, { name: "kitchen <i>" });
    await db.rows("UPDATE users SET full_name = 'Ada <b>' WHERE id = $1", [org.member.id]);
  });

  const find = async (query: Record<string, string>) =>
    (await dashboard().json(`/look-up?${new URLSearchParams(query).toString()}`)) as FoundMany;
  const ids = async (query: Record<string, string>) =>
    (await find(query)).messages.map(({ id }) => id);
  /** As the pages show it. */
  const minutesFromNow = (minutes: number) =>
    new Date(Date.now() + minutes * 60_000)
      .toISOString()
      .replace("T", " ")
      .replace(/\.\d+Z/, " UTC");

  async function sent(minutesAgo: number, by = org.member, to = room): Promise<number> {
    const { db } = dashboard();
    const { id } = await scheduledMessage(db, by, to, { dueIn: -minutesAgo * 60 });
    // Ids rise with time.
    const messageId = 9_000_000 - minutesAgo;
    await db.rows(
      `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id, sent_at, scheduled_message_id)
       SELECT $2, realm_id, sender_id, recipient_id, true, '', 'the secret words', '', 1, client_id, deliver_at, id
       FROM scheduled_messages WHERE id = $1`,
      [id, messageId],
    );
    await db.rows(
      "UPDATE scheduled_messages SET delivered = true, delivered_message_id = $2 WHERE id = $1",
      [id, messageId],
    );
    return id;
  }

  it("finds pending, failed and sent messages of an account by its address", async () => {
    const { db } = dashboard();
    const old = await sent(3_000);
    const yesterday = await sent(300);
    const { id: waiting } = await scheduledMessage(db, org.member, room, { dueIn: 7_200 });
    const { id: failed } = await scheduledMessage(db, org.member, [org.owner], {
      dueIn: -600,
      row: { failed: true, failureMessage: "No <u>." },
    });
    await scheduledMessage(db, org.owner, room);
    await scheduledMessage(db, other.member, [other.owner]);

    const found = await find({ address: org.member.email.toUpperCase() });
    expect(found.accounts?.map(({ id }) => id)).to.deep.equal([org.member.id]);
    expect(found.channels).to.equal(undefined);
    expect(found.messages.map(({ id }) => id)).to.deep.equal([waiting, failed, yesterday, old]);
    expect(found.messages[1]).to.deep.include({
      state: "failed",
      senderName: "Ada <b>",
      realmId: org.realm.id,
    });
    expect(JSON.stringify(found)).not.to.contain("secret");

    const both = { address: org.member.email, channel: String(room.id) };
    expect(await ids(both)).to.deep.equal([waiting, yesterday, old]);
    expect(await ids({ ...both, at: minutesFromNow(-301), within: "3" })).to.deep.equal([
      yesterday,
    ]);
    const text = await (
      await dashboard().ask(
        `/look-up?${new URLSearchParams({ address: org.member.email }).toString()}`,
      )
    ).text();
    expect(text)
      .to.contain("Ada &lt;b&gt;")
      .and.contain("No &lt;u&gt;.")
      .and.contain("Kitchen &lt;i&gt;");
    expect(text).not.to.match(/<b>|<u>|<i>|secret/);
  });

  it("lists pending messages before others, the soonest first", async () => {
    const { db } = dashboard();
    const lone = await channel(db, org.member);
    const past = await sent(90, org.owner, lone);
    const due: number[] = [];
    for (const hours of [3, 1, 2])
      due.push((await scheduledMessage(db, org.owner, lone, { dueIn: hours * 3_600 })).id);
    const [third, first, second] = due;
    expect(await ids({ channel: String(lone.id) })).to.deep.equal([first, second, third, past]);
  });

  it("finds messages to a channel by number or name", async () => {
    const { db } = dashboard();
    const { id } = await scheduledMessage(db, org.owner, room, { dueIn: 50 });
    const byName = await find({ channel: "KITCHEN <i>" });
    expect(byName.channels).to.have.length(2);
    expect(byName.messages.map((row) => row.id)).to.include(id);
    const byNumber = await find({ channel: String(room.id) });
    expect(byNumber.channels?.map((row) => row.name)).to.deep.equal(["Kitchen <i>"]);
    expect(byNumber.messages.every(({ channelId }) => channelId === room.id)).to.equal(true);
  });

  it("finds messages sent around a time in an organization that has messages before and after an import", async () => {
    const { db } = dashboard();
    const busy = await organization(db);
    const mine = await channel(db, busy.member);
    const year = 365 * 24 * 60;
    const years = [year, 2 * year, 3 * year] as const;
    // Ids rise with time in each organization: two years ago another one was imported, whose messages are older.
    const wanted: number[] = [];
    for (const [index, minutesAgo] of [years[2], years[0]].entries()) {
      const { id } = await scheduledMessage(db, busy.member, mine, { dueIn: -minutesAgo * 60 });
      wanted.push(id);
      await db.rows(
        `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id, sent_at, scheduled_message_id)
         SELECT $2::int + n, realm_id, sender_id, recipient_id, true, '', 'x', '', 1, client_id,
           deliver_at + (n - 150) * interval '1 day', CASE WHEN n = 150 THEN id END
         FROM scheduled_messages, generate_series(1, 300) n WHERE id = $1`,
        [id, 1_000 + index * 10_000],
      );
      await db.rows(
        "UPDATE scheduled_messages SET delivered = true, delivered_message_id = $2 WHERE id = $1",
        [id, 1_000 + index * 10_000 + 150],
      );
    }
    const imported = await organization(db);
    const theirs = await channel(db, imported.member);
    const row = await scheduledMessage(db, imported.member, theirs, { dueIn: -years[1] * 4 * 60 });
    await db.rows(
      `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id, sent_at, scheduled_message_id)
       SELECT 5000 + n, realm_id, sender_id, recipient_id, true, '', 'x', '', 1, client_id,
         deliver_at + (n - 150) * interval '1 day', CASE WHEN n = 150 THEN id END
       FROM scheduled_messages, generate_series(1, 300) n WHERE id = $1`,
      [row.id],
    );
    await db.rows(
      "UPDATE scheduled_messages SET delivered = true, delivered_message_id = 5150 WHERE id = $1",
      [row.id],
    );
    await db.rows(
      "INSERT INTO organization_imports (digest, subdomain, realm_id, finished_at) VALUES ('x', 'x', $1, now())",
      [imported.realm.id],
    );
    for (const [minutesAgo, id, email] of [
      [years[2], wanted[0], busy.member.email],
      [years[0], wanted[1], busy.member.email],
      [years[1] * 4, row.id, imported.member.email],
    ] as const) {
      const at = minutesFromNow(-minutesAgo);
      expect(await ids({ at, within: "3" })).to.deep.equal([id]);
      expect(await ids({ at, within: "3", address: email })).to.deep.equal([id]);
    }
  });

  it("finds messages due, failed or sent around a time", async () => {
    const { db } = dashboard();
    const at = 5 * 24 * 60;
    const { id: waiting } = await scheduledMessage(db, org.owner, room, { dueIn: at * 60 });
    await scheduledMessage(db, org.owner, room, { dueIn: (at + 20) * 60 });
    expect(await ids({ at: minutesFromNow(at) })).to.deep.equal([waiting]);
    const was = await sent(10_000, org.owner);
    await sent(10_020, org.owner);
    const { id: failed } = await scheduledMessage(db, org.owner, room, {
      dueIn: -600_060,
      row: { failed: true },
    });
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, due_at, failed_at, reason, process)
       SELECT realm_id, id, 1, 1, sender_id, deliver_at, deliver_at, 'No.', 'h:1' FROM scheduled_messages WHERE id = $1`,
      [failed],
    );
    expect(await ids({ at: minutesFromNow(-10_000) })).to.have.members([was, failed]);
    expect(await ids({ at: minutesFromNow(-10_001), within: "60" })).to.have.length(3);
    expect(
      await ids({
        at: minutesFromNow(-10_001),
        within: "60",
        channel: String(room.id),
        address: org.member.email,
      }),
    ).to.deep.equal([]);
    expect(await ids({ at: minutesFromNow(-10_001), within: "2" })).to.include(failed);
  });

  it("finds withheld messages by account, channel and time", async () => {
    const { db } = dashboard();
    const author = await user(db, org.realm);
    const quiet = await channel(db, org.member);
    const { id: inChannel } = await scheduledMessage(db, author, quiet);
    const { id: direct } = await scheduledMessage(db, author, [org.owner]);
    for (const id of [inChannel, direct]) await withhold(db, id, { kind: "check_in" });
    await db.rows(
      "UPDATE withheld_messages SET withheld_at = now() - interval '3 hours' WHERE scheduled_message_id = $1",
      [inChannel],
    );
    const withheld = async (query: Record<string, string>) =>
      (await find(query)).withheld.map(({ id }) => id);
    expect(await withheld({ address: author.deliveryEmail })).to.deep.equal([direct, inChannel]);
    expect(await withheld({ channel: String(quiet.id) })).to.deep.equal([inChannel]);
    expect(await withheld({ at: minutesFromNow(-180) })).to.deep.equal([inChannel]);
    expect(await withheld({ address: org.admin.deliveryEmail })).to.deep.equal([]);
    expect(await withheld({ channel: "no such", address: author.deliveryEmail })).to.deep.equal([]);
    const query = new URLSearchParams({ address: author.deliveryEmail }).toString();
    const text = await (await dashboard().ask(`/look-up?${query}`)).text();
    expect(text).to.contain(`/look-up?id=${direct}`).and.contain("<code>check_in</code>");
  });

  it("reports an unknown address or channel name", async () => {
    expect(await find({ address: "nobody@nowhere.test" })).to.deep.include({
      accounts: [],
      messages: [],
    });
    expect(await find({ channel: "no such", address: org.member.email })).to.deep.include({
      channels: [],
      messages: [],
    });
    const text = await (await dashboard().ask("/look-up?address=%3Cscript%3E%40x")).text();
    expect(text).to.contain("No account has this address").and.contain("&lt;script&gt;@x");
    expect(text).not.to.contain("<script>");
  });

  it("refuses malformed queries", async () => {
    for (const query of [
      "at=then",
      "at=2026-11-22&within=0",
      "at=2026-11-22&within=9999",
      "address=%00@x",
      `channel=${"x".repeat(61)}`,
    ]) {
      expect((await dashboard().ask(`/look-up?${query}`)).status, query).to.equal(400);
    }
  });

  it("shows the whole timeline of a message, with names", async () => {
    const { db } = dashboard();
    const id = await sent(1);
    await db.rows(
      "UPDATE scheduled_messages SET request_id = 'abc', ended_by = 'machine:17', ended_at = deliver_at + interval '1.5 s' WHERE id = $1",
      [id],
    );
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, due_at, failed_at, reason, notice_id, process)
       SELECT realm_id, id, 0, 1, sender_id, deliver_at - interval '1 h', deliver_at - interval '1 h', 'Not <i>then</i>.', 77, 'machine:16'
       FROM scheduled_messages WHERE id = $1`,
      [id],
    );
    const { scheduled } = (await dashboard().json(`/look-up?id=${id}`)) as {
      scheduled: ReadonlyArray<{ timeline: ReadonlyArray<{ what: string; facts: object }> }>;
    };
    const steps = scheduled[0]?.timeline ?? [];
    expect(steps.map(({ what }) => what)).to.include.members([
      "scheduled",
      "due",
      "claimed",
      "failed",
      "sent",
    ]);
    expect(steps.find(({ what }) => what === "scheduled")?.facts).to.include({ request: "abc" });
    expect(steps.find(({ what }) => what === "sent")?.facts).to.include({
      process: "machine:17",
      late: "1.5 s",
    });
    const text = await (await dashboard().ask(`/look-up?id=${id}`)).text();
    expect(text)
      .to.contain("machine:17")
      .and.contain("Not &lt;i&gt;then&lt;/i&gt;.")
      .and.contain("Ada &lt;b&gt;");
  });
});
