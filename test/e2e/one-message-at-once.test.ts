import {
  addReaction,
  deleteMessage,
  getMessage,
  removeReaction,
  updateMessage,
  updateMessageFlags,
} from "@carillon/contract";
import {
  channel,
  eventsOf,
  type LoggedEvent,
  send,
  type TestAccount,
  type TestChannel,
  toChannel,
  useGateway,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

/** The state of a message according to its events. */
interface Told {
  content: string;
  channelId: number;
  topic: string;
  /** `USER CODE` for each, in order. */
  reactions: string[];
  deleted: boolean;
}

// docs/decisions/018: changes of one message are serialized, in the order of the events.
describe("Concurrent edits, moves, deletions, flags and reactions of one message over two gateways", () => {
  const scene = useScene();
  const { db } = scene;
  const second = useGateway(db);
  let writer: TestAccount;
  let reader: TestAccount;
  let rooms: [TestChannel, TestChannel];

  before(async () => {
    [writer, reader] = [await user(db, scene.org.realm), await user(db, scene.org.realm)];
    const { owner } = scene.org;
    const room = () => channel(db, owner, { subscribers: [owner, writer, reader] });
    rooms = [await room(), await room()];
    // Ensures that the message is not the channel's first one.
    for (const { id } of rooms) await send(scene.as(writer), toChannel(id));
  });

  /** Applies the events like a client; fails if one follows the deletion. */
  function replayed(sent: Told, events: readonly LoggedEvent[]): Told {
    const received = structuredClone(sent);
    for (const { type, op, payload } of events) {
      if (!["update_message", "reaction", "update_message_flags", "delete_message"].includes(type))
        continue;
      expect(received.deleted, `${type} after the end`).to.equal(false);
      if (type === "delete_message") {
        expect([payload["stream_id"], payload["topic"]]).to.deep.equal([
          received.channelId,
          received.topic,
        ]);
        received.deleted = true;
      }
      if (type === "update_message") {
        received.content = (payload["content"] as string | undefined) ?? received.content;
        received.topic = (payload["subject"] as string | undefined) ?? received.topic;
        received.channelId = (payload["new_stream_id"] as number | undefined) ?? received.channelId;
      }
      if (type !== "reaction") continue;
      const reaction = `${String(payload["user_id"])} ${String(payload["emoji_code"])}`;
      expect(received.reactions.includes(reaction), `${op} ${reaction}`).to.equal(op === "remove");
      if (op === "add") received.reactions.push(reaction);
      else received.reactions = received.reactions.filter((one) => one !== reaction);
    }
    return received;
  }

  for (let round = 0; round < 6; round++)
    it(`leave the state that their events describe, in order, round ${round + 1}`, async () => {
      const [from, to] = rooms;
      const { owner } = scene.org;
      const id = await send(scene.as(writer), toChannel(from.id, { topic: "lunch" }));
      const path = { message_id: id };
      const emoji = (emoji_name: string) => ({ path, params: { emoji_name } });
      const flags = { messages: [id], op: "add", flag: "starred" };
      const asks = [
        () => scene.as(writer).call(updateMessage, { path, params: { content: "soup" } }),
        () => second.as(writer).call(updateMessage, { path, params: { content: "stew" } }),
        () => scene.as(owner).call(updateMessage, { path, params: { topic: "supper" } }),
        () => second.as(owner).call(updateMessage, { path, params: { stream_id: to.id } }),
        () => scene.as(reader).call(addReaction, emoji("car")),
        () => second.as(writer).call(addReaction, emoji("+1")),
        () => second.as(reader).call(removeReaction, emoji("car")),
        () => scene.as(reader).call(updateMessageFlags, { params: flags }),
        ...(round % 2 === 0 ? [() => second.as(writer).call(deleteMessage, { path })] : []),
      ];
      const first = round % asks.length;
      const { result, events } = await eventsOf(db, writer.realmId, () =>
        Promise.all([...asks.slice(first), ...asks.slice(0, first)].map((ask) => ask())),
      );
      for (const { status, body } of result)
        expect(status, JSON.stringify(body)).to.be.oneOf([200, 400]);
      const about = events.filter(({ payload }) => JSON.stringify(payload).includes(`${id}`));
      const sent = {
        content: "hello",
        channelId: from.id,
        topic: "lunch",
        reactions: [],
        deleted: false,
      };
      const received = replayed(sent, about);
      expect(received.deleted).to.equal(round % 2 === 0);

      const kept = await db.rows<{ table: string }>(
        `SELECT 'messages' AS table FROM messages WHERE id = $1
         UNION SELECT 'copies' FROM user_messages WHERE message_id = $1
         UNION SELECT 'reactions' FROM reactions WHERE message_id = $1`,
        [id],
      );
      if (received.deleted) {
        expect(kept).to.deep.equal([]);
        const [archived] = await db.rows<{ content: string; topic: string; reactions: unknown }>(
          `SELECT content, topic, (SELECT json_agg(r->>'user_id' || ' ' || (r->>'emoji_code') ORDER BY (r->>'id')::bigint)
             FROM jsonb_array_elements(reactions) r) AS reactions FROM archived_messages WHERE id = $1`,
          [id],
        );
        const { content, topic, reactions } = received;
        expect(archived).to.deep.equal({
          content,
          topic,
          reactions: reactions.length > 0 ? reactions : null,
        });
        return;
      }
      expect(received.content, "edited").to.be.oneOf(["soup", "stew"]);
      const { message, raw_content } = await scene.as(reader).succeed(getMessage, { path });
      expect({
        content: raw_content,
        channelId: message.stream_id,
        topic: message.subject,
        reactions: message.reactions.map((one) => `${one.user_id} ${one.emoji_code}`),
        deleted: false,
      }).to.deep.equal(received);
    });
});
