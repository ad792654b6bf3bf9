import {
  bot,
  channel,
  crowd,
  directRecipient,
  pastMessages,
  rowsRead,
  user,
  useScene,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { scheduledKind } from "@carillon/scheduling";
import { expect } from "chai";

import type { DueRow } from "./due-row.ts";
import { maxLookUps, newest, splitAtConditions } from "./evaluate-conditions.ts";

const many = 30_000;
const writers = 40;

// once-and-again.md §4
describe("the look for a reply among very many messages", () => {
  const scene = useScene();
  const { db } = scene;
  let room: TestChannel;
  let talk: number;
  let sender: TestAccount;
  let person: TestAccount;
  let robot: TestAccount;
  let idle: TestAccount;
  /** The newest message when the row was scheduled. */
  let scheduled: number;

  before(async () => {
    const { member, realm } = scene.org;
    [sender, person, idle] = [await user(db, realm), await user(db, realm), await user(db, realm)];
    robot = await bot(db, sender);
    room = await channel(db, realm, { subscribers: [sender, person] });
    talk = await directRecipient(db, realm.id, [sender, person, robot]);
    for (const { id } of await crowd(db, member, writers)) await say(id, "noisy");
    await say(person, "noisy");
    [scheduled = 0] = await say(person, "answered");
    await say(person, "answered");
    await say(person, "NOISY elsewhere", many);
    await say(robot, "quiet");
    for (const topic of ["noisy", "answered"]) {
      await say(robot, topic, many / 2);
      await say(sender, topic, many / 2);
    }
    await db.rows(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT realm_id, sender_id, $1, false, '', '', '', 1, client_id FROM messages
       WHERE recipient_id = $2 AND topic = 'noisy' AND sender_id = ANY($3)`,
      [talk, room.recipientId, [robot.id, sender.id]],
    );
    await db.rows("ANALYZE messages");
  });

  const say = (by: TestAccount | number, topic: string, count = 1) =>
    pastMessages(db, room, by, { topic, count, holders: [] });

  const look = (
    topic: string | null,
    by: readonly TestAccount[] | null = null,
    since = scheduled,
  ) =>
    rowsRead(
      db,
      newest,
      [
        [topic === null ? talk : room.recipientId],
        [topic],
        [topic === null ? null : `✔ ${topic}`],
        [sender.id],
        [by && `{${by.map(({ id }) => id).join(",")}}`],
        [since],
      ],
      "messages",
    );

  it("reads the last hundred of a topic, and one of each account that has written there", async () => {
    const { found, read } = await look("Noisy");
    expect(found).to.equal(0);
    expect(read).to.be.at.most(100 + writers + 5);
  });

  it("finds a reply that very many messages of bots and of the sender followed", async () => {
    const { found, read } = await look("answered");
    expect(found).to.equal(1);
    expect(read).to.be.at.most(110);
  });

  it("reads the messages since the row was scheduled, if they are few", async () => {
    expect(await look("quiet")).to.deep.equal({ found: 0, read: 1 });
    const [last = 0] = await say(robot, "noisy");
    const { found, read } = await look("noisy", null, last - 1);
    expect([found, read]).to.deep.equal([0, 1]);
  });

  it("reads one message of each named account, and of each member of a direct conversation", async () => {
    expect(await look("noisy", [idle, person])).to.deep.equal({ found: 0, read: 0 });
    const named = await look("noisy", [robot, idle]);
    expect(named.found).to.equal(1);
    expect(named.read).to.be.at.most(2);
    expect(await look(null)).to.deep.equal({ found: 0, read: 0 });
    expect(await look(null, [idle])).to.deep.equal({ found: 0, read: 0 });
    expect((await look(null, [robot])).read).to.be.at.most(2);
  });
});

describe("splitAtConditions", () => {
  /** A due row with the fields that decide. */
  const row = (id: number, over: Partial<DueRow>) =>
    ({
      id,
      kind: scheduledKind.sendLater,
      senderId: 1,
      channelId: null,
      memberIds: [],
      conversation: String(id),
      ...over,
    }) as DueRow;
  const people = (count: number) => Array.from({ length: count }, (_, n) => n + 2);
  const kept = (rows: readonly DueRow[]) => splitAtConditions(rows).length;

  it("leaves rows to the next batch whose conditions look up too many accounts", () => {
    const named = { kind: "reply", by: people(50) } as const;
    const direct = Array.from({ length: 250 }, (_, id) => row(id, { unless: [named] }));
    expect(kept(direct)).to.equal(maxLookUps / 50);
    const inTopics = direct.map((each) => ({ ...each, channelId: 1 }));
    expect(kept(inTopics)).to.equal(maxLookUps / 100);
    const inGroups = [6_000, 4_000, 1].map((members, id) =>
      row(id, { unless: [{ kind: "reply" }], memberIds: people(members) }),
    );
    expect(kept(inGroups)).to.equal(2);
    const withoutNames = direct.map((each) => ({ ...each, unless: null }));
    expect(kept([...withoutNames, ...direct])).to.equal(250 + maxLookUps / 50);
  });

  it("keeps the first row, however many accounts its conditions look up", () => {
    const members = people(maxLookUps + 1);
    const rows = [1, 2].map((id) => row(id, { unless: [{ kind: "reply" }], memberIds: members }));
    expect(kept(rows)).to.equal(1);
  });
});
