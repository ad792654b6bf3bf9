import {
  changesOf,
  channel,
  channelMessage,
  deliverNow,
  eventsOf,
  inChannel,
  messagesOf,
  missing,
  organization,
  refusedWith,
  schedule,
  scheduledMessage,
  scheduledMessagesPath,
  storedRow,
  succeeded,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Deleting a scheduled message", () => {
  const scene = useScene();
  let sender: TestAccount;
  let client: ReturnType<typeof scene.as>;
  let room: TestChannel;
  let id: number;

  beforeEach(async () => {
    sender = scene.org.member;
    client = scene.as(sender);
    room ??= await channel(scene.db, scene.org.realm, { subscribers: [sender] });
    id = await schedule(client, channelMessage(room.id));
  });

  const remove = (which: number | string) => client.delete(`${scheduledMessagesPath}/${which}`);

  it("deletes the row, and nothing is sent", async () => {
    succeededWithoutFields(await remove(id));
    expect(await storedRow(scene.db, id)).to.equal(undefined);
    missing(await remove(id));
    await deliverNow(scene.db, scene.org.realm, [id]);
    expect(await messagesOf(client, inChannel(room.id))).to.deep.equal([]);
  });

  it("answers 404 for unknown messages and those of others", async () => {
    for (const which of [0, 1_000_000_000, "9223372036854775808", "9".repeat(50)]) {
      missing(await remove(which));
    }
    const { owner } = await organization(scene.db);
    const row = { kind: 2, reminderTargetMessageId: 1 };
    const reminder = await scheduledMessage(scene.db, sender, [sender], { row });
    const { tables } = await changesOf(scene.db, async () => {
      missing(await scene.as(scene.org.owner).delete(`${scheduledMessagesPath}/${id}`));
      missing(await scene.as(owner).delete(`${scheduledMessagesPath}/${id}`));
      missing(await remove(reminder.id));
    });
    expect(tables).to.deep.equal([]);
  });

  it("answers 404 for paths that are not numbers", async () => {
    for (const which of ["abc", "-1", "1.5"]) refusedWith(await remove(which), "NOT_FOUND");
  });

  it("deletes a failed row", async () => {
    const row = { failed: true, failureMessage: "No." };
    const failed = await scheduledMessage(scene.db, sender, room, { row });
    succeededWithoutFields(await remove(failed.id));
    expect(await storedRow(scene.db, failed.id)).to.equal(undefined);
  });

  it("deletes a delivered row and keeps the message", async () => {
    await deliverNow(scene.db, scene.org.realm, [id]);
    const sent = await messagesOf(client, inChannel(room.id));
    expect(sent).to.have.length(1);
    const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () => remove(id));
    succeededWithoutFields(result);
    expect(events, "clients were told with the delivery").to.deep.equal([]);
    expect(await storedRow(scene.db, id)).to.equal(undefined);
    expect(await messagesOf(client, inChannel(room.id))).to.deep.equal(sent);
    missing(await remove(id));
  });

  it("reports unsupported parameters", async () => {
    const answer = await client.delete(`${scheduledMessagesPath}/${id}`, {
      why: "changed my mind",
    });
    expect(succeeded(answer)["ignored_parameters_unsupported"]).to.deep.equal(["why"]);
  });
});
