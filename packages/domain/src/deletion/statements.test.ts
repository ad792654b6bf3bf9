import { deactivateUser } from "@carillon/contract";
import {
  channel,
  deleteRecorded,
  pastMessages,
  rowsRead,
  send,
  toUsers,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { pieces } from "./cut-steps.ts";
import { next } from "./delete-step.ts";
import { forgetDeletions } from "./forget-deletions.ts";

describe("a deletion of messages among very many others", () => {
  const scene = useScene();
  const { db } = scene;

  it("reads those that it deletes, and one of each conversation", async () => {
    const { owner, member, realm } = scene.org;
    const [target, other] = [await user(db, realm), await user(db, realm)];
    const people = { subscribers: [target, other] };
    const [busy, quiet] = [await channel(db, realm, people), await channel(db, realm, people)];
    const nobody = { holders: [] };
    const ids = await pastMessages(db, busy, target, { count: 5_000, ...nobody });
    await pastMessages(db, busy, other, { count: 20_000, ...nobody });
    await pastMessages(db, quiet, other, { count: 20_000, ...nobody });
    for (const { id } of [owner, member]) await send(scene.as(target), toUsers([id]));
    await db.rows("ANALYZE messages");
    const most = Number.MAX_SAFE_INTEGER;
    const direct = [target.id, most, false, false, true];
    expect((await rowsRead(db, pieces, direct, "messages")).read).to.be.at.most(10);
    const open = [target.id, most, true, false, false];
    expect((await rowsRead(db, pieces, open, "messages")).read).to.be.at.most(5_010);

    const { recipientId } = busy;
    const [fromId, toId] = [ids[0], ids.at(-1)];
    for (const cursor of [0, ids[2_000]]) {
      const values = [
        target.id,
        [recipientId],
        fromId,
        toId,
        cursor ? recipientId : 0,
        cursor,
        100,
      ];
      const { found, read } = await rowsRead(db, next, values, "messages");
      expect(found).to.equal(100);
      expect(read).to.be.at.most(200);
    }
  });

  it("is forgotten when its messages can be brought back no longer, with its steps", async () => {
    const { owner, realm } = scene.org;
    const target = await user(db, realm);
    const room = await channel(db, realm, { subscribers: [target] });
    const deactivate = async () => {
      await pastMessages(db, room, target);
      await scene.as(owner).succeed(deactivateUser, {
        path: { user_id: target.id },
        params: { actions: { delete_public_channel_messages: true } },
      });
    };
    await deactivate();
    await deleteRecorded(db);
    const forget = () => db.transaction(forgetDeletions);
    const left = async () => [
      await db.prisma.messageDeletionJob.count(),
      await db.prisma.messageDeletionStep.count(),
    ];
    const age = (days: number) =>
      db.rows(
        `UPDATE message_deletion_jobs SET created_at = now() - make_interval(days => $1),
         finished_at = CASE WHEN finished_at IS NOT NULL THEN now() - make_interval(days => $1) END`,
        [days],
      );
    await age(29);
    await forget();
    expect(await left()).to.deep.equal([1, 1]);
    await age(31);
    await forget();
    expect(await left()).to.deep.equal([0, 0]);
    await db.rows("UPDATE users SET is_active = true WHERE id = $1", [target.id]);
    await deactivate();
    await age(31);
    await forget();
    expect(await left(), "an unfinished one").to.deep.equal([1, 0]);
  });
});
