import { bytesAtFirst, deliverDue, type DeliverDue, type Publication } from "@carillon/jobs";
import {
  channel,
  countQueries,
  organization,
  remind,
  runJob,
  scheduledMessage,
  send,
  toChannel,
  useScene,
  type TestAccount,
  type TestChannel,
  nth,
} from "@carillon/testkit";
import { LongRunSlots } from "../long-run-slots.ts";
import { expect } from "chai";

const longest = 10_000;
/** The text again and again, as long as a message may be, with a number that makes it one of its kind. */
const filled = (part: string) => (n: number) =>
  `${part.repeat(Math.ceil(longest / part.length)).slice(0, longest - 20)}\n\n${n}`;
const numbered = (part: (i: number) => string) => (n: number) =>
  `${n} ${Array.from({ length: 2_000 }, (_, i) => part(i)).join("")}`.slice(0, longest);

const lists = filled("- a\n");

/** Texts that are dear to read, to look names up for, or to write. */
const kinds: Record<string, (n: number) => string> = {
  lists,
  "ordered lists": filled("1. a\n"),
  "quoted lists": filled("> - a\n"),
  "nested quotes": filled(">>>>>>>>>> a\n"),
  tables: (n) => `| a | b |\n|---|---|\n${filled("| x | y |\n")(n).slice(0, longest - 30)}`,
  "bare links": filled("https://a.co/x "),
  "links with a label": filled("[a](b.co) "),
  "mentions of people who are not there": numbered((i) => `@**nobody ${i}** `),
  "mentions by numbers": numbered((i) => `@**|${i + 1}** `),
  "links to topics": numbered((i) => `#**general>topic ${i}** `),
  formulas: filled("$$x^2$$ "),
  "a displayed formula": (n) => `\`\`\`math\n${"x^2+".repeat(2_400)}${n}\n\`\`\``,
  "a block of code": (n) => `\`\`\`\n${"if (a < b) { return; }\n".repeat(430)}${n}\n\`\`\``,
  emoji: filled("😀 "),
  "named emoji": filled(":smile: "),
};

describe("due messages with long texts", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
  });
  const due = async (contents: readonly string[], by = sender, to = room) => {
    for (const [i, content] of contents.entries())
      await scheduledMessage(scene.db, by, to, { content, topic: "t", dueIn: i - 300 });
  };
  /** Runs the delivery job of an organization and all that it leaves. @returns rows and bytes of the batches */
  const deliver = async (realmId: number) => {
    const longRuns = new LongRunSlots(0);
    const batches: number[] = [];
    let runs = 0;
    let next: DeliverDue | undefined = { realmId, second: 1 };
    while (next) {
      runs++;
      const run: Awaited<ReturnType<typeof runJob>> = await runJob(scene.db, deliverDue, next, {
        services: { longRuns },
      });
      for (const line of run.logLines)
        if (line.msg === "delivered scheduled messages") batches.push(Number(line["sent"]));
      next = (run.published as Publication<DeliverDue>[])[0]?.payload;
    }
    return { batches, runs };
  };
  const left = async () => {
    const [row] = await scene.db.rows<{ n: number }>(
      "SELECT count(*)::int AS n FROM scheduled_messages WHERE NOT delivered AND NOT failed",
    );
    return row?.n;
  };
  /** The place among all messages of the one that a scheduled one became. */
  const messageOf = async (scheduledId: number) => {
    const [row] = await scene.db.rows<{ id: number }>(
      "SELECT id FROM messages WHERE scheduled_message_id = $1",
      [scheduledId],
    );
    return row?.id ?? 0;
  };

  for (const [kind, text] of Object.entries(kinds))
    it(`are sent in small batches between which others are sent: ${kind}`, async () => {
      const { db, org } = scene;
      const contents = Array.from({ length: 14 }, (_, n) => text(n));
      const other = await organization(db);
      const hall = await channel(db, other.realm, { subscribers: [other.member] });
      const lone = await scheduledMessage(db, other.member, hall, { dueIn: -1 });
      await due(contents);
      const [{ batches, runs }] = await Promise.all([
        deliver(org.realm.id),
        deliver(other.realm.id),
      ]);
      expect(await left()).to.equal(0);
      expect(batches.reduce((sum, n) => sum + n, 0)).to.equal(contents.length);
      expect(batches.length).to.be.at.least(2);
      expect(runs, "turns").to.be.at.least(2);
      const [last] = await db.rows<{ id: number }>(
        "SELECT max(id) AS id FROM messages WHERE realm_id = $1",
        [org.realm.id],
      );
      expect(await messageOf(lone.id)).to.be.below(last?.id ?? 0);
    });

  it("are sent in small batches between which others are sent: reminders of a list", async () => {
    const { db, org } = scene;
    const target = await send(scene.as(sender), toChannel(room.id, { content: lists(0) }));
    const first = await remind(scene.as(sender), target, { note: "- a\n".repeat(100) });
    await db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, kind, recipient_id, content, rendered_content, client_id,
         deliver_at, read_by_sender, reminder_target_message_id, reminder_note)
       SELECT realm_id, sender_id, kind, recipient_id, 'short', 'short', client_id, now() - interval '9 s',
         read_by_sender, reminder_target_message_id, reminder_note
       FROM scheduled_messages, generate_series(1, 19) WHERE id = $1`,
      [first],
    );
    await db.rows("UPDATE scheduled_messages SET deliver_at = now() WHERE id = $1", [first]);
    const { batches } = await deliver(org.realm.id);
    expect(await left()).to.equal(0);
    expect(batches.reduce((sum, n) => sum + n, 0)).to.equal(20);
    // What a reminder costs is what its message says by now.
    expect(Math.max(...batches)).to.be.at.most(11);
  });

  it("are parsed before their rows are locked", async () => {
    await due(Array.from({ length: 4 }, (_, n) => lists(n)));
    const { statements } = await countQueries(scene.db, () => deliver(scene.org.realm.id));
    const peek = statements.findIndex(
      (text) => text.includes("f.before < $3") && !text.includes("FOR NO KEY"),
    );
    const given = statements.findIndex((text) => text.includes("s.id = ANY($2::bigint[]) AND"));
    expect(peek).to.be.at.least(0);
    expect(given).to.be.above(peek);
  });

  it("begin small when a delivery job comes, so that jobs of other organizations get their turn", async () => {
    const size = 5_000;
    await due(Array.from({ length: 20 }, (_, n) => `${"- a\n".repeat(size / 4 - 3)}${n}`));
    const { batches } = await deliver(scene.org.realm.id);
    expect(nth(batches, 0) * size).to.be.at.most(bytesAtFirst + size);
  });

  it("do not shrink batches of short messages", async () => {
    await due(Array.from({ length: 250 }, (_, n) => `a line of a chat, number ${n}`));
    const { batches } = await deliver(scene.org.realm.id);
    expect(batches).to.deep.equal([100, 150]);
  });
});
