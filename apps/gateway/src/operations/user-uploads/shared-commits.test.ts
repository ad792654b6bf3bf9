import { createHash } from "node:crypto";
import { ApiError } from "@carillon/contract";
import { newAttachment, reserveObjects } from "@carillon/domain";
import { newObjectKey } from "@carillon/files";
import {
  captureLog,
  eventsOf,
  pngPicture,
  type TestAccount,
  testSite,
  useBlocker,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { GroupCommit } from "../../group-commit/group-commit.ts";
import { uploads } from "../user-uploads.ts";

describe("Uploads that share a commit", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  const groupWith = (quota?: number) =>
    new GroupCommit({
      db: scene.db,
      site: testSite({ uploads: { maxFileSize: 1_000, quota } }),
      log: captureLog().log,
    });
  const picture = {
    filename: "a.png",
    contentType: "image/png",
    head: Buffer.from(pngPicture(3, 3)),
  };

  /** Adds a file of 10 bytes to the account's attachments. */
  const add = async (
    group: GroupCommit,
    by: TestAccount,
    { key = newObjectKey(), ...facts }: Partial<typeof picture & { key: string }> = {},
  ) => {
    await reserveObjects(scene.db, [key]);
    return write(group, by, key, facts);
  };
  const write = async (
    group: GroupCommit,
    by: TestAccount,
    key: string,
    facts: Partial<typeof picture> = {},
  ) => {
    const sha256 = createHash("sha256").update(key).digest();
    const text = { filename: "a.txt", contentType: "text/plain", head: Buffer.alloc(0) };
    const account = { ...by, realmId: scene.org.realm.id };
    const upload = await newAttachment(account, { ...text, ...facts, key, size: 10, sha256 });
    return group.write(uploads, account, upload);
  };
  /** Runs `work` while one upload of the organization is being written; then lets that one commit. */
  const behind = async (group: GroupCommit, waiting: number, work: () => Promise<unknown>) => {
    await add(group, scene.org.owner);
    await blocker.lock("SELECT FROM realm_storage WHERE realm_id = $1 FOR UPDATE", [
      scene.org.realm.id,
    ]);
    const leading = add(group, scene.org.owner);
    await blocker.untilWaiting(1, "the first upload is written");
    const working = work();
    await waitFor(() => group.waiting === waiting, { what: "the others wait" });
    await blocker.release();
    await leading;
    await working;
  };
  const used = async () =>
    Number(
      (await scene.db.prisma.realmStorage.findUnique({ where: { realmId: scene.org.realm.id } }))
        ?.bytesUsed ?? 0,
    );
  const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : String(error));

  it("are inserted by one transaction, and announced in order with the total so far", async () => {
    const { realm, owner, member, bot } = scene.org;
    const group = groupWith();
    const { events } = await eventsOf(scene.db, realm.id, () =>
      behind(group, 4, () => Promise.all([owner, member, bot, member].map((by) => add(group, by)))),
    );
    const rows = await scene.db.rows<{ id: number; ownerId: number; transaction: string }>(
      `SELECT id, owner_id AS "ownerId", xmin::text AS transaction FROM attachments ORDER BY id DESC LIMIT 4`,
    );
    expect(new Set(rows.map(({ transaction }) => transaction)).size).to.equal(1);
    expect(rows.map(({ ownerId }) => ownerId)).to.have.members([
      owner.id,
      member.id,
      bot.id,
      member.id,
    ]);
    const last = events.slice(-4);
    expect(last.map(({ audience }) => audience)).to.deep.equal(
      rows.toReversed().map(({ ownerId }) => [ownerId]),
    );
    const total = await used();
    expect(last.map(({ payload }) => payload["upload_space_used"])).to.deep.equal([
      total - 30,
      total - 20,
      total - 10,
      total,
    ]);
  });

  it("queue each account's pictures behind each other", async () => {
    const { member, bot } = scene.org;
    const group = groupWith();
    await behind(group, 3, () =>
      Promise.all([member, bot, member].map((by) => add(group, by, picture))),
    );
    const intents = await scene.db.rows<{ behind: number }>(
      `SELECT (intent.payload->>'behind')::int AS behind FROM job_intent intent
       JOIN attachments a ON a.id = (intent.payload->>'attachmentId')::int AND a.owner_id = $1
       WHERE intent.job = 'thumbnail' ORDER BY a.id`,
      [member.id],
    );
    expect(intents.map(({ behind: number }) => number)).to.deep.equal([0, 1]);
  });

  it("do not wait for an account that is locked", async () => {
    const { owner, member } = scene.org;
    const group = groupWith();
    await blocker.lock("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE", [owner.id]);
    const locked = add(group, owner);
    await blocker.untilWaiting(1, "the upload of the locked account waits in its own transaction");
    expect((await add(group, member)).actor.id).to.equal(member.id);
    expect(await blocker.waiting()).to.equal(1);
    await blocker.release();
    expect((await locked).actor.id).to.equal(owner.id);
  });

  it("are accepted up to the quota, though all of them together exceed it", async () => {
    const before = await used();
    const group = groupWith(before + 20 + 25);
    const seen: string[] = [];
    await behind(group, 3, () =>
      Promise.all(
        Array.from({ length: 3 }, () =>
          add(group, scene.org.member).then(
            () => seen.push("added"),
            (error: unknown) => seen.push(codeOf(error)),
          ),
        ),
      ),
    );
    expect(seen.toSorted()).to.deep.equal(["REALM_UPLOAD_QUOTA", "added", "added"]);
    expect(await used()).to.equal(before + 40);
  });

  it("leave out an object that is due for deletion", async () => {
    const group = groupWith();
    const due = newObjectKey();
    await scene.db.rows("INSERT INTO stored_objects VALUES ($1, now())", [due]);
    const before = await used();
    const seen: string[] = [];
    await behind(group, 3, () =>
      Promise.all([
        add(group, scene.org.member).then(() => seen.push("added")),
        write(group, scene.org.member, due).catch((error: unknown) => seen.push(codeOf(error))),
        add(group, scene.org.bot).then(() => seen.push("added")),
      ]),
    );
    expect(seen.toSorted()).to.deep.equal(["INTERNAL_ERROR", "added", "added"]);
    expect(await used()).to.equal(before + 40);
    expect(await scene.db.prisma.attachment.count({ where: { objectKey: due } })).to.equal(0);
  });
});
