import { getTemporaryUrl, listAttachments } from "@carillon/contract";
import { newObjectKey } from "@carillon/files";
import { purgeArchive, reserveObjects } from "@carillon/domain";
import { startTask, type RecurringTask } from "@carillon/scheduling";
import {
  captureLog,
  channel,
  kindsOf,
  messageSeries,
  scheduledMessage,
  send,
  testFiles,
  toChannel,
  upload,
  useBlocker,
  user,
  useScene,
  watch,
  type TestAccount,
} from "@carillon/testkit";
import { Readable } from "node:stream";
import { expect } from "chai";

import deleteObjects from "./delete-objects.ts";
import unclaimedFiles from "./unclaimed-files.ts";

describe("Recurring work on uploaded files", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let own: TestAccount;
  beforeEach(async () => {
    own = await user(scene.db, scene.org.realm);
  });

  const run = async (task: RecurringTask<never>) => {
    const { log, lines } = captureLog();
    const services = { db: scene.db, log, files: testFiles() };
    const started = startTask(task as RecurringTask<typeof services>, services);
    await started.run();
    await started.stop();
    expect(lines.filter(({ level }) => level > 30)).to.deep.equal([]);
  };
  const age = (days: number) =>
    scene.db.rows(
      "UPDATE attachments SET created_at = now() - make_interval(days => $2) WHERE owner_id = $1",
      [own.id, days],
    );
  const names = async () =>
    (await scene.as(own).succeed(listAttachments)).attachments.map(({ name }) => name);
  const keyOf = async (pathId: string) =>
    (await scene.db.prisma.attachment.findUniqueOrThrow({ where: { pathId } })).objectKey;

  it("spares a file that a longer transaction claims while the deletion waits for it", async () => {
    const client = scene.as(own);
    const room = await channel(scene.db, own, { subscribers: [own] });
    const message = await send(client, toChannel(room.id, { content: "no link yet" }));
    const { pathId } = await upload(client, "claimed-late.txt");
    const { id } = await scene.db.prisma.attachment.findUniqueOrThrow({ where: { pathId } });
    await age(36);
    await blocker.lock("SELECT FROM attachments WHERE id = $1 FOR NO KEY UPDATE", [id]);
    const running = run(unclaimedFiles);
    await blocker.untilWaiting(1, "the deletion waits");
    await blocker.lock("INSERT INTO attachment_claims VALUES ($1, $2)", [id, message]);
    await blocker.lock("COMMIT");
    await running;
    expect(await names()).to.deep.equal(["claimed-late.txt"]);
  });

  it("deletes files of five weeks that nothing links to, and sends events to their uploaders", async () => {
    const client = scene.as(own);
    const room = await channel(scene.db, own, { subscribers: [own] });
    const file = async (name: string) =>
      `[file](${(await upload(client, `${name}.txt`, "12345")).url})`;
    await file("alone");
    const deleted = await send(client, toChannel(room.id, { content: await file("archived") }));
    await client.delete(`/api/v1/messages/${deleted}`);
    await send(client, toChannel(room.id, { content: await file("sent") }));
    await scheduledMessage(scene.db, own, room, {
      content: `later ${await file("scheduled")}`,
      row: { hasAttachment: true },
    });
    await messageSeries(scene.db, own, room, { content: `each day ${await file("series")}` });
    await client.post("/api/v1/drafts", {
      drafts: [{ type: "", to: [], topic: "", content: await file("draft") }],
    });
    await client.post("/api/v1/saved_snippets", { title: "s", content: await file("snippet") });
    await age(34);
    await run(unclaimedFiles);
    expect(await names()).to.have.length(7);
    await age(36);
    const before = (await client.succeed(listAttachments)).upload_space_used;
    const { own: events } = await watch(scene.gateway, { own: { account: own } }, () =>
      run(unclaimedFiles),
    );
    expect(kindsOf(events)).to.deep.equal(["attachment/remove"]);
    expect(await names()).to.have.members(
      ["archived", "sent", "scheduled", "series", "draft", "snippet"].map((name) => `${name}.txt`),
    );
    const { upload_space_used: after } = await client.succeed(listAttachments);
    expect([before - after, events[0]?.["upload_space_used"]]).to.deep.equal([5, after]);
    // A removed message keeps its file until it can no longer be restored.
    await scene.db.rows("UPDATE message_removals SET ended_at = now() - interval '31 days'");
    await scene.db.transaction((tx) => purgeArchive(tx, 100));
    await run(unclaimedFiles);
    expect(await names()).not.to.include("archived.txt");
  });

  it("deletes unclaimed files in several batches", async () => {
    await scene.db.rows(
      `WITH keys AS (SELECT lpad(translate(n::text, '0189', 'bcde'), 26, 'a') AS key FROM generate_series(1, 1200) n),
        objects AS (INSERT INTO stored_objects (key) SELECT key FROM keys)
      INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
      SELECT $1, $2, $1::int || '/ab/' || right(key, 24) || '/x', key, 'x', 'text/plain', 1, '' FROM keys`,
      [scene.org.realm.id, own.id],
    );
    await scene.db.rows("UPDATE realm_storage SET bytes_used = bytes_used + 1200");
    await age(36);
    await run(unclaimedFiles);
    expect(await names()).to.deep.equal([]);
  });

  it("deletes objects a day after their file, or after an unfinished upload began", async () => {
    const client = scene.as(own);
    const kept = await upload(client, "kept.txt", "x");
    const gone = await upload(client, "gone.txt", "x");
    const key = await keyOf(gone.pathId);
    const orphan = newObjectKey();
    await reserveObjects(scene.db, [orphan]);
    await testFiles().put(orphan, Readable.from([Buffer.from("never finished")]));
    const { attachments } = await client.succeed(listAttachments);
    const { id } = attachments.find(({ name }) => name === "gone.txt")!;
    expect((await client.delete(`/api/v1/attachments/${id}`)).status).to.equal(200);
    const exist = async () =>
      Promise.all([key, orphan].map(async (each) => (await testFiles().stat(each)) !== undefined));
    await run(deleteObjects);
    expect(await exist()).to.deep.equal([true, true]);
    await scene.db.rows(
      "UPDATE stored_objects SET delete_after = delete_after - interval '25 hours' WHERE delete_after IS NOT NULL",
    );
    await run(deleteObjects);
    expect(await exist()).to.deep.equal([false, false]);
    const left = await scene.db.prisma.storedObject.count({
      where: { key: { in: [key, orphan] } },
    });
    expect(left).to.equal(0);
    const { status } = await client.call(getTemporaryUrl, { path: { path_id: kept.pathId } });
    expect(status).to.equal(200);
  });

  it("finishes deletions that another process has begun", async () => {
    const key = newObjectKey();
    await testFiles().put(key, Readable.from([Buffer.from("half deleted")]));
    await scene.db.rows("INSERT INTO stored_objects (key, delete_after) VALUES ($1, '-infinity')", [
      key,
    ]);
    await run(deleteObjects);
    expect(await testFiles().stat(key)).to.equal(undefined);
  });
});
