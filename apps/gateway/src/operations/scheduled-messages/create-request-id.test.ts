import { createReminder, createScheduledMessage } from "@carillon/contract";
import { channel, channelMessage, inSeconds, send, toChannel, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("Rows of scheduled messages and reminders", () => {
  const scene = useScene();

  it("store the ID of the creating request, as its log line does", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const headers = (id: string) => ({ headers: { "x-request-id": id } });
    const client = scene.as(org.member);
    const { scheduled_message_id } = await client.succeed(createScheduledMessage, {
      params: channelMessage(room.id),
      ...headers("of-a-message"),
    });
    const message_id = await send(client, toChannel(room.id));
    const { reminder_id } = await client.succeed(createReminder, {
      params: { message_id, scheduled_delivery_timestamp: inSeconds(600) },
      ...headers("of-a-reminder"),
    });
    const rows = await db.rows(
      "SELECT id, request_id AS request FROM scheduled_messages WHERE id = ANY($1::bigint[]) ORDER BY id",
      [[scheduled_message_id, reminder_id]],
    );
    expect(rows).to.deep.equal([
      { id: scheduled_message_id, request: "of-a-message" },
      { id: reminder_id, request: "of-a-reminder" },
    ]);
  });
});
