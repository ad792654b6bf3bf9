import { deactivateUser, deleteTopic } from "@carillon/contract";
import { StartupError } from "@carillon/kit";
import {
  channel,
  deleteRecorded,
  pastMessages,
  send,
  toUsers,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { restoreCommand } from "./restore-command.ts";

describe("the operator's command that restores removed messages", () => {
  const scene = useScene();
  const { db } = scene;

  it("lists kept messages, and restores a run or a channel", async () => {
    const { owner, admin, realm } = scene.org;
    expect(await restoreCommand(db, ["list"])).to.deep.equal(["No removed messages are kept."]);
    const room = await channel(db, owner, { name: "Kitchen" });
    const ids = [
      ...(await pastMessages(db, room, owner, { count: 2, daysAgo: 2 })),
      ...(await pastMessages(db, room, owner, { topic: "rain", daysAgo: 1 })),
    ];
    for (const topic_name of ["lunch", "rain"])
      await scene.as(admin).succeed(deleteTopic, {
        path: { stream_id: room.id },
        params: { topic_name },
      });
    const [first = "", second = "", ...more] = await restoreCommand(db, ["list"]);
    expect(more).to.deep.equal([]);
    const what = `channel ${room.id} \\(Kitchen\\) of organization ${realm.id}  topic by account ${admin.id}$`;
    const line = (messages: number) =>
      new RegExp(
        String.raw`^run (\d+)  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC  ${messages} messages  ${what}`,
      );
    expect(first).to.match(line(2));
    expect(second).to.match(line(1));

    const run = line(1).exec(second)?.[1] ?? "";
    expect(await restoreCommand(db, ["run", run])).to.deep.equal(["Restored 1 message."]);
    expect(await restoreCommand(db, ["channel", String(room.id)])).to.deep.equal([
      "Restored 2 messages.",
    ]);
    expect(await restoreCommand(db, ["run", run])).to.deep.equal(["Restored 0 messages."]);
    const rows = await db.rows("SELECT FROM messages WHERE id = ANY($1::bigint[])", [ids]);
    expect(rows).to.have.lengthOf(3);
  });

  it("restores messages that were deleted with an account, in all channels and conversations", async () => {
    const { owner, member, realm } = scene.org;
    const target = await user(db, realm);
    const room = await channel(db, realm, { subscribers: [target, member] });
    const ids = await pastMessages(db, room, target, { count: 2 });
    ids.push(await send(scene.as(target), toUsers([member.id])));
    await scene.as(owner).succeed(deactivateUser, {
      path: { user_id: target.id },
      params: {
        actions: { delete_public_channel_messages: true, delete_direct_messages: true },
      },
    });
    await deleteRecorded(db);
    expect(await restoreCommand(db, ["account", String(member.id)])).to.deep.equal([
      "Restored 0 messages.",
    ]);
    expect(await restoreCommand(db, ["account", String(target.id)])).to.deep.equal([
      "Restored 3 messages.",
    ]);
    const rows = await db.rows("SELECT FROM messages WHERE id = ANY($1::bigint[])", [ids]);
    expect(rows).to.have.lengthOf(3);
  });

  for (const words of [
    [],
    ["all"],
    ["run"],
    ["run", "x"],
    ["channel", "0"],
    ["run", "1", "2"],
    ["list", "3"],
  ])
    it(`prints its usage for: ${words.join(" ") || "nothing"}`, async () => {
      const failure = await restoreCommand(db, words).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(StartupError);
      expect((failure as Error).message).to.contain(
        "list, run NUMBER, channel NUMBER or account NUMBER",
      );
    });
});
