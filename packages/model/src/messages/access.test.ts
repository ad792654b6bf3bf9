import type { Sql, Statement } from "@carillon/db";
import {
  type AccessRoom,
  accessWorld,
  channel,
  directRecipient,
  organization,
  pastMessages,
  useDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { accessMessages } from "./access.ts";
import { clientIdOf } from "./clients.ts";

describe("Access to messages by their ids", () => {
  const db = useDatabase();

  it("follows the documented rules for every kind of channel, role and copy, for many messages at once", async () => {
    const { org, people, inGroup, rooms } = await accessWorld(db);
    const messages: Array<AccessRoom & { id: number; received: boolean }> = [];
    for (const kind of rooms) {
      const ids = await pastMessages(db, kind.room, org.owner, { count: 2, holders: [] });
      await db.rows(
        "INSERT INTO user_messages SELECT unnest($1::int[]), $2, 5 ON CONFLICT DO NOTHING",
        [people.map(({ id }) => id), ids[1]],
      );
      for (const [i, id] of ids.entries()) messages.push({ ...kind, id, received: i === 1 });
    }

    for (const person of people) {
      const isGuest = person.role === 600;
      const expected = messages.filter(({ room, received, subscribed, opens }) => {
        if (!room.inviteOnly && !isGuest) return true;
        const grouped = opens && person === inGroup;
        const content = room.isWebPublic || subscribed || grouped;
        return content && (room.historyPublicToSubscribers || received);
      });
      const asked = messages.map(({ id }) => id).toReversed();
      const found = await accessMessages(db, person, [...asked, ...asked, 0, 2 ** 53 - 1]);
      expect([...found.keys()], person.fullName).to.deep.equal(expected.map(({ id }) => id));
      for (const { id, room, received } of expected)
        expect(found.get(id)).to.deep.include({ channelId: room.id, flags: received ? 5 : null });
    }
  });

  it("to direct messages requires a copy", async () => {
    const { realm, member, guest } = await organization(db);
    const other = await organization(db);
    const recipientId = await directRecipient(db, realm.id, [member, guest]);
    const [{ id } = { id: 0 }] = await db.rows<{ id: number }>(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id) VALUES ($1, $2, $3, false, E'\\x07', 'hello', '', 1, $4) RETURNING id`,
      [realm.id, member.id, recipientId, await clientIdOf(db, "Internal")],
    );
    await db.rows("INSERT INTO user_messages VALUES ($1, $3, 256), ($2, $3, 256)", [
      guest.id,
      // Even with a copy, the message belongs to another organization.
      other.member.id,
      id,
    ]);
    const found = await accessMessages(db, guest, [id]);
    const [{ sentAt, ...message } = { sentAt: 0 }] = found.values();
    expect(sentAt).to.be.closeTo(Date.now() / 1_000, 3_600);
    expect([message]).to.deep.equal([
      {
        id,
        senderId: member.id,
        recipientId,
        channelId: null,
        memberIds: [member.id, guest.id],
        topic: "\u0007",
        flags: 256,
        channel: undefined,
      },
    ]);
    expect((await accessMessages(db, member, [id])).size).to.equal(0);
    expect((await accessMessages(db, other.member, [id])).size).to.equal(0);
  });

  it("sends one query for a thousand messages", async () => {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const ids = await pastMessages(db, room, member, { count: 1_001 });
    let asked = 0;
    const counting: Sql = {
      rows: <Row>(statement: Statement<Row>, values?: readonly unknown[]) => {
        asked += 1;
        return db.rows(statement, values);
      },
    };
    expect((await accessMessages(counting, member, ids.slice(1))).size).to.equal(1_000);
    expect(asked).to.equal(1);
    expect((await accessMessages(counting, member, ids)).size).to.equal(1_001);
    expect((await accessMessages(counting, member, [])).size).to.equal(0);
    expect(asked).to.equal(3);
  });
});
