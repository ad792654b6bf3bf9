import { declaredStatements } from "@carillon/db";
import {
  channel,
  nth,
  organization,
  rowsRead,
  useDatabase,
  user,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { countParticipants } from "@carillon/model";
import { expect } from "chai";

import { checkMessages } from "./check.ts";
import { raiseVisibility } from "./visibility.ts";

describe("what sending asks about topics", () => {
  const db = useDatabase();
  const rows = 3_000;
  const asked = 20;
  const wanted = Array.from({ length: asked }, (_, i) => `topic ${i + 1}`);
  let room: TestChannel;
  let realmId: number;
  let senderId: number;

  // PostgreSQL takes the tables for small: nobody has analyzed them.
  before("write messages", async () => {
    const { realm, member } = await organization(db);
    [realmId, senderId] = [realm.id, member.id];
    room = await channel(db, realm, { subscribers: [member] });
    await db.rows(
      `UPDATE channels SET can_create_topic_group_id = (
         SELECT id FROM named_user_group WHERE realm_id = $2 AND name = 'role:administrators') WHERE id = $1`,
      [room.id, realmId],
    );
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    await db.rows(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT $1, $2, $3, true, 'topic ' || n, '', '', 1, (SELECT min(id) FROM clients)
       FROM generate_series(1, $4::int) AS n`,
      [realmId, senderId, room.recipientId, rows],
    );
    await db.rows(
      `INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
       SELECT $1, $2, 'topic ' || n, 3 FROM generate_series(1, $3::int) AS n`,
      [senderId, room.id, rows],
    );
  });

  const statementNamed = (name: string) => {
    const statement = declaredStatements().find((each) => each.name === name);
    if (!statement) throw new Error(`there is no statement ${name}`);
    return statement;
  };
  const ofEach = <T>(value: T) => wanted.map(() => value);
  const cases = {
    "existing-topics": {
      of: checkMessages,
      table: "messages",
      values: () => [realmId, ofEach(room.id), wanted, []],
    },
    "begun-topics": {
      of: raiseVisibility,
      table: "messages",
      values: () => [ofEach(room.recipientId), wanted, ofEach(senderId), ofEach(false), 2 ** 40],
    },
    "topic-policies": {
      of: raiseVisibility,
      table: "user_topics",
      values: () => [ofEach(senderId), ofEach(room.recipientId), ofEach(room.id), wanted],
    },
  };
  for (const [name, { of, table, values }] of Object.entries(cases))
    it(`costs a look at each topic, whatever else is there: ${name} of ${of.name}`, async () => {
      const { found, read } = await rowsRead(db, statementNamed(name), values(), table);
      expect(found).to.equal(asked);
      expect(read).to.equal(asked);
    });

  it("counts participants from sender to sender, and only as many as the permission needs", async () => {
    const { realm, member } = await organization(db);
    const other = await channel(db, realm, { subscribers: [member] });
    const senders: TestAccount[] = [];
    for (let n = 0; n < asked; n++) senders.push(await user(db, realm));
    await db.rows(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT $1, ($2::int[])[1 + n % $5], $3, true, 'Busy', '', '', 1, (SELECT min(id) FROM clients)
       FROM generate_series(1, $4::int) AS n`,
      [realm.id, senders.map(({ id }) => id), other.recipientId, rows, asked],
    );
    const count = async (enough: number) => {
      const topics = [{ channelId: other.id, topic: "busy" }];
      return [...(await countParticipants(db, realm.id, topics, enough)).values()];
    };
    expect(await count(5)).to.deep.equal([5]);
    expect(await count(asked + 5)).to.deep.equal([asked]);
    await db.rows(
      `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
       SELECT min(id), unnest($2::int[]), 'unicode_emoji', '1f419', 'octopus' FROM messages WHERE recipient_id = $1`,
      [other.recipientId, [member.id, nth(senders, 0).id]],
    );
    expect(await count(asked + 5)).to.deep.equal([asked + 1]);
    const statement = statementNamed("count-topic-participants");
    const values = [realm.id, [other.id], ["busy"], 5];
    expect(await rowsRead(db, statement, values, "messages")).to.deep.equal({ found: 1, read: 5 });
    const all = statementNamed("topic-participants");
    const { found, read } = await rowsRead(db, all, [other.recipientId, "busy"], "messages");
    expect(found).to.equal(asked + 1);
    expect(read).to.be.at.most(rows + asked);
  });
});
