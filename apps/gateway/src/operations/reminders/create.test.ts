import { bounds, createReminder } from "@carillon/contract";
import { codePointLength } from "@carillon/kit";
import {
  bot,
  changesOf,
  channel,
  countQueries,
  kindsOf,
  organization,
  type Params,
  refused,
  refusedAlike,
  remind,
  reminderOf,
  remindersOf,
  scheduledMessage,
  send,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  unsubscribe,
  useScene,
  watch,
  inSeconds,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /reminders", () => {
  const scene = useScene();
  let member: TestAccount;
  let room: TestChannel;
  let message: number;

  before(async () => {
    ({ member } = scene.org);
    room = await channel(scene.db, scene.org.realm, {
      name: "kitchen",
      subscribers: [member, scene.org.owner, scene.org.guest],
    });
    message = await send(scene.as(member), toChannel(room.id, { content: "**soup** is ready" }));
  });

  const ask = (by: TestAccount, params: Params) => scene.as(by).call(createReminder, { params });
  const refusal = (by: TestAccount, params: Params, code = "BAD_REQUEST", extra = {}) =>
    refused(scene.db, () => ask(by, params), code, extra);

  it("allows all accounts that see the message, and returns only the ID", async () => {
    const { owner, admin, moderator, guest } = scene.org;
    const own = await bot(scene.db, member);
    for (const account of [owner, admin, moderator, member, guest, own]) {
      const { status, body } = await ask(account, reminderOf(message));
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.have.all.keys("result", "msg", "reminder_id");
      const [made] = await remindersOf(scene.as(account));
      expect(made).to.include({ reminder_id: body.reminder_id, type: "private", failed: false });
      expect(made?.to).to.deep.equal([account.id]);
      expect(made?.reminder_target_message_id).to.equal(message);
    }
    const webhook = await bot(scene.db, member, { botType: 2 });
    await refusal(webhook, reminderOf(message), "UNAUTHORIZED");
  });

  it("quotes the message, with a link to it and the note", async () => {
    const at = inSeconds(600);
    const id = await remind(scene.as(scene.org.owner), message, {
      note: "  ask **Ada**\n\nabout @**all**  ",
      scheduled_delivery_timestamp: at,
    });
    const [made] = (await remindersOf(scene.as(scene.org.owner))).filter(
      ({ reminder_id }) => reminder_id === id,
    );
    expect(made?.scheduled_delivery_timestamp).to.equal(at);
    expect(made?.content).to.equal(
      [
        `You asked to be reminded of #**kitchen>lunch@${message}**, and noted:`,
        "> ask **Ada**\n> about @**all**",
        `@_**${member.fullName}|${member.id}** wrote:`,
        "```quote\n**soup** is ready\n```",
      ].join("\n\n"),
    );
    expect(made?.rendered_content).to.equal(
      [
        `<p>You asked to be reminded of <a class="message-link" href="/#narrow/channel/${room.id}-kitchen/topic/lunch/near/${message}">#kitchen &gt; lunch @ 💬</a>, and noted:</p>`,
        `<blockquote>\n<p>ask <strong>Ada</strong><br>\nabout <span class="user-mention channel-wildcard-mention silent" data-user-id="*">all</span></p>\n</blockquote>`,
        `<p><span class="user-mention silent" data-user-id="${member.id}">${member.fullName}</span> wrote:</p>`,
        "<blockquote>\n<p><strong>soup</strong> is ready</p>\n</blockquote>",
      ].join("\n"),
    );
  });

  it("links to the conversation of a direct message", async () => {
    const { owner, guest } = scene.org;
    const direct = await send(scene.as(owner), toUsers([member.id, guest.id]));
    await remind(scene.as(guest), direct);
    const made = (await remindersOf(scene.as(guest))).find(
      (one) => one.reminder_target_message_id === direct,
    );
    const members = [owner.id, member.id, guest.id].sort((a, b) => a - b).join(",");
    const href = `/#narrow/dm/${members}-dm/near/${direct}`;
    expect(made?.content).to.match(
      /^You asked to be reminded of \[a direct message\]\(\S+\)\.\n\n/,
    );
    expect(made?.rendered_content).to.contain(`<a href="${href}">a direct message</a>.</p>`);
  });

  it("stores a row and sends the event to the account alone; no message is sent", async () => {
    const { db, gateway, org } = scene;
    const queues = { own: { account: member }, other: { account: org.owner } };
    const received = await watch(gateway, queues, async () => {
      const { tables } = await changesOf(db, () =>
        remind(scene.as(member), message, { note: `@**${org.owner.fullName}** @**all**` }),
      );
      expect(tables).to.have.members(["scheduled_messages", "event_head", "event_log"]);
    });
    expect(kindsOf(received.own)).to.deep.equal(["reminders/add"]);
    const [event] = received.own;
    expect(event?.["reminders"]).to.deep.equal((await remindersOf(scene.as(member))).slice(-1));
    expect(received.other).to.deep.equal([]);
  });

  it("creates two reminders for two identical requests", async () => {
    const params = reminderOf(message, { note: "twice" });
    const [first, second] = [await ask(member, params), await ask(member, params)];
    expect(first.body.reminder_id).not.to.equal(second.body.reminder_id);
  });

  describe("refuses", () => {
    it("missing parameters, the message ID first", async () => {
      const without = (name: string) => reminderOf(message, { [name]: undefined });
      for (const name of ["message_id", "scheduled_delivery_timestamp"])
        await refusal(member, without(name), "REQUEST_VARIABLE_MISSING", { var_name: name });
      await refusal(member, {}, "REQUEST_VARIABLE_MISSING", { var_name: "message_id" });
    });

    for (const [name, values] of [
      ["message_id", ["", "x", "1.0", "1e3", '"1"', "null", "[1]", "9".repeat(30)]],
      ["scheduled_delivery_timestamp", ["", "soon", "4e9", '"4102444800"', "null", "4102444800.5"]],
      ["note", ["a\0b", "x".repeat(501), "🙂".repeat(501)]],
    ] as const)
      for (const value of values)
        it(`${name} as ${JSON.stringify(value.slice(0, 20))}`, async () => {
          await refusal(member, reminderOf(message, { [name]: value }));
        });

    it("a time that is not in the future, or after the year 9999", async () => {
      const [row] = await scene.db.rows<{ now: number }>(
        "SELECT floor(extract(epoch FROM now()))::bigint AS now",
      );
      for (const time of [row?.now ?? 0, 0, -1, "253402300800", "9223372036854775808"])
        await refusal(member, reminderOf(message, { scheduled_delivery_timestamp: time }));
    });

    it("an invisible message with the same error as an unknown one", async () => {
      const { db, org } = scene;
      const { owner, admin, guest } = org;
      const closed = await channel(db, org.realm, {
        inviteOnly: true,
        historyPublicToSubscribers: false,
        subscribers: [owner],
      });
      const before = await send(scene.as(owner), toChannel(closed.id));
      await subscribe(db, closed, member);
      const open = await channel(db, org.realm, { subscribers: [owner] });
      const there = await organization(db);
      const unseen: Array<readonly [TestAccount, number]> = [
        [admin, before],
        [member, before],
        [guest, await send(scene.as(owner), toChannel(open.id))],
        [admin, await send(scene.as(owner), toUsers([member.id]))],
        [member, await send(scene.as(there.owner), toUsers([there.owner.id]))],
        ...[0, -1, 2_147_483_648, 9_007_199_254_740_991].map((id) => [member, id] as const),
      ];
      await refusedAlike(db, unseen, ([by, id]) => ask(by, reminderOf(id)));
      await remind(scene.as(owner), before);
      await unsubscribe(db, closed, owner);
      await refusal(owner, reminderOf(before));
    });

    it("a reminder above 10,000 unsent scheduled messages and reminders, failed ones included", async () => {
      const { db, org } = scene;
      const { moderator } = org;
      await db.rows("DELETE FROM scheduled_messages WHERE sender_id = $1", [moderator.id]);
      const { id } = await scheduledMessage(db, moderator, [moderator], { row: { failed: true } });
      await db.rows(
        `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, content, rendered_content, client_id,
           deliver_at, read_by_sender, kind, reminder_target_message_id)
         SELECT realm_id, sender_id, recipient_id, '', '', client_id, deliver_at, false, 2, $2::bigint
         FROM scheduled_messages, generate_series(3, $3::int) WHERE id = $1`,
        [id, message, bounds.pendingMessages],
      );
      await remind(scene.as(moderator), message);
      await refusal(moderator, reminderOf(message));
      await db.rows("DELETE FROM scheduled_messages WHERE sender_id = $1", [moderator.id]);
    });
  });

  it("accepts a note of 500 code points and refuses blank notes", async () => {
    for (const [note, stored] of [
      ["🙂".repeat(500), "🙂".repeat(500)],
      [" \n ", null],
    ]) {
      const id = await remind(scene.as(member), message, { note });
      const [row] = await scene.db.rows<{ note: string | null }>(
        "SELECT reminder_note AS note FROM scheduled_messages WHERE id = $1",
        [id],
      );
      expect(row?.note).to.equal(stored);
    }
  });

  it("stays within the length of a message for any quote and note", async () => {
    const { owner } = scene.org;
    for (const content of ["long 🙂 ".repeat(2_000), "`".repeat(9_999), "```quote\n".repeat(900)]) {
      const long = await send(scene.as(owner), toChannel(room.id, { content }));
      await remind(scene.as(owner), long, { note: "a\n".repeat(250) });
      const made = (await remindersOf(scene.as(owner))).find(
        (one) => one.reminder_target_message_id === long,
      );
      expect(codePointLength(made?.content ?? "")).to.be.within(9_000, 10_000);
      expect(made?.rendered_content).to.match(/<\/blockquote>$/);
    }
  });

  it("does not reveal the names of hidden channels", async () => {
    const { db, org } = scene;
    const secret = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const hint = await send(
      scene.as(org.owner),
      toChannel(room.id, { content: `#**${secret.name}**` }),
    );
    for (const by of [member, org.owner]) {
      await remind(scene.as(by), hint);
      const made = (await remindersOf(scene.as(by))).find(
        (one) => one.reminder_target_message_id === hint,
      );
      const linked = made?.rendered_content.includes(`data-stream-id="${secret.id}"`);
      expect(linked).to.equal(by === org.owner);
    }
  });

  it("runs the same statements for any quote", async () => {
    const { db } = scene;
    const plain = await countQueries(db, () => remind(scene.as(member), message));
    const naming = await send(
      scene.as(member),
      toChannel(room.id, { content: "@_**a** #**kitchen** @_*b* #**kitchen>lunch** ".repeat(50) }),
    );
    const named = await countQueries(db, () =>
      remind(scene.as(member), naming, { note: "@**x**" }),
    );
    expect(named.statements.length).to.equal(plain.statements.length);
  });
});
