import { deleteAttachment, listAttachments, register } from "@carillon/contract";
import { type FileStore, StorageUnavailable } from "@carillon/files";
import { thumbnail } from "@carillon/jobs";
import { intentPublications, unqueuedIntents } from "@carillon/outbox";
import {
  authorization,
  channel,
  countQueries,
  deliverNow,
  gifPicture,
  nth,
  pngPicture,
  runJob,
  scheduledMessage,
  send,
  type TestAccount,
  type TestChannel,
  testFiles,
  tiffPicture,
  toChannel,
  toUsers,
  upload,
  type Uploaded,
  useBlocker,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const loader = "/static/images/loading/loader-black.svg";

// files.md §5
describe("Thumbnails of uploaded pictures", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let author: TestAccount;
  let reader: TestAccount;
  let outsider: TestAccount;
  let room: TestChannel;
  beforeEach(async () => {
    const { db, org } = scene;
    [author, reader, outsider] = await Promise.all([
      user(db, org.realm),
      user(db, org.realm),
      user(db, org.realm),
    ]);
    room = await channel(db, author, { inviteOnly: true, subscribers: [author, reader] });
  });

  const png = (name = "a.png", bytes = pngPicture(1_000, 800)) =>
    upload(scene.as(author), name, bytes, "image/png");
  const post = (content: string) => send(scene.as(author), toChannel(room.id, { content }));
  const link = ({ url, filename }: Uploaded) => `[${filename}](${url})`;
  const htmlOf = async (id: number) => {
    const answer = await scene.as(author).get(`/api/v1/messages/${id}`);
    return (answer.body["message"] as { content: string }).content;
  };
  const found = async (operator: string, operand: string) => {
    const narrow = [{ operator, operand }];
    const params = { anchor: "newest", num_before: 50, num_after: 0, narrow };
    const answer = await scene.as(reader).get("/api/v1/messages", params);
    return (answer.body["messages"] as Array<{ id: number }>).map(({ id }) => id);
  };
  const pending = () =>
    scene.db.rows<{ intentId: number; version: number }>(
      `SELECT id AS "intentId", version FROM job_intent WHERE job = 'thumbnail' AND state = 'pending' ORDER BY id`,
    );
  /** Runs the jobs until none is left. Returns how many there were. */
  const work = async (files?: FileStore, times = 1) => {
    let count = 0;
    for (let jobs = await pending(); jobs.length > 0; jobs = await pending())
      for (const ref of jobs) {
        count++;
        for (let n = 0; n < times; n++)
          await runJob(scene.db, thumbnail, ref, files && { services: { files } });
      }
    return count;
  };
  const get = ({ deliveryEmail: email, apiKey }: TestAccount, path: string) =>
    fetch(scene.gateway.url + encodeURI(path), { headers: authorization({ email, apiKey }) });
  const imageOf = async ({ pathId }: Uploaded) =>
    scene.db.prisma.image.findFirst({ where: { attachment: { pathId } } });
  const keysOf = async (file: Uploaded) =>
    ((await imageOf(file))!.formats as Array<{ key: string }>).map(({ key }) => key);
  const unusedObjects = async () =>
    scene.db.rows<{ key: string }>(
      "SELECT key FROM stored_objects WHERE delete_after IS NOT NULL ORDER BY 1",
    );

  const thumbnailIn = (file: Uploaded, size: string, type = "image/png", name = "840x560.webp") =>
    `<img data-original-content-type="${type}" data-original-dimensions="${size}" src="/user_uploads/thumbnail/${file.pathId}/${name}">`;
  const preview = (file: Uploaded, img: string) =>
    `<p><a href="${file.url}">${file.filename}</a></p>\n<div class="message_inline_image"><a href="${file.url}" title="${file.filename}">${img}</a></div>`;
  const placeholder = `<img class="image-loading-placeholder" data-original-content-type="image/png" src="${loader}">`;

  it("replace the placeholder in messages, with an event that is not an edit", async () => {
    const file = await png();
    const id = await post(link(file));
    const direct = await send(scene.as(author), toUsers([outsider.id], { content: link(file) }));
    expect(await htmlOf(id)).to.equal(preview(file, placeholder));
    const watched = { reader: { account: reader }, outsider: { account: outsider } };
    const seen = await watch(scene.gateway, watched, () => work(undefined, 2));
    const html = preview(file, thumbnailIn(file, "1000x800"));
    expect(await htmlOf(id)).to.equal(html);
    const { edit_timestamp: at, ...event } = seen.reader[0] as Record<string, unknown>;
    expect(seen.reader).to.have.length(1);
    expect(at).to.be.a("number");
    expect(event).to.deep.include({
      type: "update_message",
      user_id: null,
      message_id: id,
      message_ids: [id],
      rendering_only: true,
      stream_id: room.id,
      content: link(file),
      rendered_content: html,
      flags: [],
    });
    expect(event).not.to.have.any.keys("orig_content", "orig_rendered_content");
    expect(seen.outsider.map((one) => one["message_id"])).to.deep.equal([direct]);
    expect(seen.outsider[0]).not.to.have.any.keys("stream_id", "stream_name");
    const message = await scene.as(author).get(`/api/v1/messages/${id}`);
    expect(message.body["message"]).not.to.have.any.keys("last_edit_timestamp", "edit_history");
    expect(await found("has", "image")).to.deep.equal([id]);
    expect(await found("search", "a.png")).to.deep.equal([id]);
  });

  it("are served to accounts that may read the picture; other names get the closest one", async () => {
    const moving = await upload(scene.as(author), "m.gif", gifPicture(3), "image/gif");
    const scan = await upload(scene.as(author), "s.tiff", tiffPicture(30, 60), "image/tiff");
    const id = await post(`${link(moving)} ${link(scan)}`);
    const path = (file: Uploaded, name: string) => `/user_uploads/thumbnail/${file.pathId}/${name}`;
    expect((await get(reader, path(moving, "840x560.webp"))).status).to.equal(404);
    await work();
    const html = await htmlOf(id);
    expect(html).to.contain(
      `<img data-animated="true" data-original-content-type="image/gif" data-original-dimensions="1x1" src="${path(moving, "840x560-anim.webp")}">`,
    );
    expect(html).to.contain(
      `<img data-original-content-type="image/tiff" data-original-dimensions="30x60" data-transcoded-image="3024x4032.webp" src="${path(scan, "840x560.webp")}">`,
    );
    const answer = await get(reader, path(scan, "840x560.webp"));
    expect(answer.status).to.equal(200);
    expect((await answer.bytes()).subarray(8, 12)).to.deep.equal(new TextEncoder().encode("WEBP"));
    expect(Object.fromEntries(answer.headers)).to.include({
      "content-type": "image/webp",
      "cache-control": "private, immutable",
      "content-disposition": `inline; filename="840x560.webp"`,
      vary: "Authorization",
    });
    const closest: Array<[asked: string, answered: string]> = [
      ["840x560-anim.webp", "840x560-anim.webp"],
      ["100x75-anim.jpg", "840x560-anim.webp"],
      ["9000x1.webp", "840x560.webp"],
      ["99999999999x1.webp", "840x560.webp"],
      [`${"9".repeat(400)}x1-anim.webp`, "840x560-anim.webp"],
    ];
    for (const [asked, answered] of closest) {
      const given = await get(reader, path(moving, asked));
      expect(given.headers.get("content-disposition"), asked).to.contain(`"${answered}"`);
    }
    const large = await get(reader, path(scan, "4000x3000.webp"));
    expect(large.headers.get("content-disposition")).to.contain(`"3024x4032.webp"`);
    for (const bad of ["x", "840x560", "840x560.webp/", "-1x5.webp", "840x560-anim-anim.webp", ""])
      expect((await get(reader, path(scan, bad))).status, bad).to.equal(404);
    expect((await get(outsider, path(scan, "840x560.webp"))).status).to.equal(404);
    const nobody = await fetch(scene.gateway.url + path(scan, "840x560.webp"));
    expect(nobody.status).to.equal(401);
  });

  it("show a drawing without credentials until they are made", async () => {
    const answer = await fetch(scene.gateway.url + loader);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get("content-type")).to.equal("image/svg+xml");
    expect(await answer.text()).to.match(/^<svg xmlns/);
  });

  it("are announced in the snapshot", async () => {
    const snapshot = await scene
      .as(author)
      .succeed(register, { params: { fetch_event_types: ["realm"] } });
    expect((snapshot as Record<string, unknown>)["server_thumbnail_formats"]).to.deep.equal([
      {
        name: "840x560-anim.webp",
        max_width: 840,
        max_height: 560,
        format: "webp",
        animated: true,
      },
      { name: "840x560.webp", max_width: 840, max_height: 560, format: "webp", animated: false },
    ]);
  });

  it("are not made of files that only claim to be pictures", async () => {
    const html = new TextEncoder().encode("<html><body>no</body></html>");
    const files = [
      await png("html.png", new Uint8Array(html)),
      await upload(scene.as(author), "text.png", pngPicture(3, 3), "text/plain"),
      await upload(scene.as(author), "gif.png", gifPicture(1), "image/png"),
    ];
    for (const file of files) {
      expect(await imageOf(file), file.filename).to.equal(null);
      const id = await post(link(file));
      expect(await htmlOf(id)).to.equal(`<p><a href="${file.url}">${file.filename}</a></p>`);
      expect(await found("has", "image")).to.deep.equal([]);
    }
    expect(await work()).to.equal(0);
  });

  it("remove the previews of pictures that cannot be decoded or are too large", async () => {
    const broken = await png("broken.png", pngPicture(900, 900).slice(0, 60));
    const bomb = await png("bomb.png", pngPicture(20_000, 20_000));
    const good = await png("good.png");
    const id = await post(`${link(broken)}\n\n${link(bomb)}\n\n![*in* place](${broken.url})`);
    const both = await post(`${link(broken)}\n\n${link(good)}`);
    expect(await found("has", "image")).to.deep.equal([id, both]);
    await work();
    const a = (file: Uploaded, text = file.filename) => `<p><a href="${file.url}">${text}</a></p>`;
    expect(await htmlOf(id)).to.equal(`${a(broken)}\n${a(bomb)}\n${a(broken, "*in* place")}`);
    expect(await htmlOf(both)).to.equal(
      `${a(broken)}\n${preview(good, thumbnailIn(good, "1000x800"))}`,
    );
    expect(await found("has", "image")).to.deep.equal([both]);
    expect((await imageOf(broken))?.state).to.equal("refused");
    const later = await post(link(broken));
    expect(await htmlOf(later)).to.equal(a(broken));
  });

  it("leave no placeholder when the picture is deleted before they are made", async () => {
    const file = await png();
    const id = await post(link(file));
    const archived = await post(link(file));
    await scene.as(author).delete(`/api/v1/messages/${archived}`);
    const { attachments } = await scene.as(author).succeed(listAttachments);
    const path = { attachment_id: nth(attachments, 0).id };
    await scene.as(author).succeed(deleteAttachment, { path });
    expect(await htmlOf(id)).to.equal(preview(file, placeholder));
    const seen = await watch(scene.gateway, { reader: { account: reader } }, () => work());
    const html = `<p><a href="${file.url}">${file.filename}</a></p>`;
    expect(await htmlOf(id)).to.equal(html);
    expect(seen.reader.map((event) => event["rendered_content"])).to.deep.equal([html]);
    const [row] = await scene.db.rows<{ html: string }>(
      "SELECT rendered_content AS html FROM archived_messages WHERE id = $1",
      [archived],
    );
    expect(row?.html).to.equal(html);
    expect(await found("has", "image")).to.deep.equal([]);
  });

  it("are in messages that are sent after they were made", async () => {
    const file = await png();
    await work();
    const id = await post(link(file));
    expect(await htmlOf(id)).to.equal(preview(file, thumbnailIn(file, "1000x800")));
    const edited = await post("nothing yet");
    await scene.as(author).patch(`/api/v1/messages/${edited}`, { content: link(file) });
    expect(await found("has", "image")).to.deep.equal([id, edited]);
    expect(await work()).to.equal(0);
  });

  it("reach a message that is written while they are made", async () => {
    const file = await png();
    await work();
    const attachments = await scene.as(author).succeed(listAttachments);
    const { id: fileId } = nth(attachments.attachments, 0);
    const made = await imageOf(file);
    const pend = (state: string) =>
      scene.db.rows("UPDATE images SET state = $2 WHERE attachment_id = $1", [fileId, state]);
    const edited = await post("before");
    await pend("pending");
    await blocker.lock("SELECT FROM attachments WHERE id = $1 FOR NO KEY UPDATE", [fileId]);
    const sending = post(link(file));
    const editing = scene.as(author).patch(`/api/v1/messages/${edited}`, { content: link(file) });
    await blocker.untilWaiting(2, "message and edit are rendered and wait for the picture");
    await pend(made!.state);
    await blocker.release();
    const id = await sending;
    await editing;
    expect(await htmlOf(id)).to.equal(preview(file, placeholder));
    expect(await work()).to.be.greaterThan(0);
    for (const one of [id, edited])
      expect(await htmlOf(one)).to.equal(preview(file, thumbnailIn(file, "1000x800")));
  });

  it("are in archived messages too", async () => {
    const file = await png();
    const id = await post(link(file));
    await scene.as(author).delete(`/api/v1/messages/${id}`);
    await work();
    const [archived] = await scene.db.rows<{ html: string }>(
      "SELECT rendered_content AS html FROM archived_messages WHERE id = $1",
      [id],
    );
    expect(archived?.html).to.equal(preview(file, thumbnailIn(file, "1000x800")));
  });

  it("are in scheduled messages at delivery, without additional statements for each", async () => {
    const files = await Promise.all(
      ["1.png", "2.png", "3.png", "4.png", "5.png"].map((name) => png(name)),
    );
    const schedule = (contents: readonly string[]) =>
      Promise.all(
        contents.map(
          async (content) =>
            (
              await scheduledMessage(scene.db, author, room, {
                content,
                row: { hasAttachment: true },
              })
            ).id,
        ),
      );
    const deliver = async (contents: readonly string[]) => {
      const ids = await schedule(contents);
      return countQueries(scene.db, () => deliverNow(scene.db, scene.org.realm, ids));
    };
    const file = nth(files, 0);
    await deliver([link(file)]);
    await work();
    const one = await deliver([link(file)]);
    const many = await deliver(files.map(link));
    const sent = await found("has", "image");
    expect(sent).to.have.length(7);
    for (const id of sent) expect(await htmlOf(id)).to.contain("/840x560.webp");
    // Each row of the batch is made due by a statement of its own.
    const grown = many.count - one.count - 2 * (files.length - 1);
    expect(grown, many.statements.join("\n")).to.be.at.most(0);
  });

  it("are put into thousands of messages by several jobs, live and archived ones", async () => {
    const file = await png();
    const live = await post(link(file));
    const removed = await post(link(file));
    await scene.as(author).delete(`/api/v1/messages/${removed}`);
    const copy = (table: string, column: string, id: number, count: number) =>
      scene.db.rows(
        `INSERT INTO ${table} SELECT (jsonb_populate_record(t,
          jsonb_build_object('${column}', t.${column} + 10000 * n))).*
        FROM ${table} t, generate_series(1, $2) n WHERE t.${column} = $1`,
        [id, count],
      );
    await copy("messages", "id", live, 1_500);
    await copy("archived_messages", "id", removed, 1_500);
    for (const id of [live, removed]) await copy("attachment_claims", "message_id", id, 1_500);
    const waiting = async () =>
      nth(
        await scene.db.rows<{ live: number; archived: number }>(
          `SELECT (SELECT count(*)::int FROM messages WHERE strpos(rendered_content, $1) > 0) AS live,
            (SELECT count(*)::int FROM archived_messages WHERE strpos(rendered_content, $1) > 0) AS archived`,
          [loader],
        ),
        0,
      );
    expect(await waiting()).to.deep.equal({ live: 1_501, archived: 1_501 });
    await runJob(scene.db, thumbnail, nth(await pending(), 0));
    expect((await waiting()).live).to.be.within(1, 1_500);
    expect(await work()).to.be.greaterThan(0);
    expect(await waiting()).to.deep.equal({ live: 0, archived: 0 });
  });

  it("wait behind the account's own pictures, not behind those of others", async () => {
    for (const name of ["1.png", "2.png", "3.png"]) await png(name);
    await upload(scene.as(reader), "4.png", pngPicture(10, 10), "image/png");
    const limits = { jobs: [thumbnail.name], olderThanMs: -60_000, limit: 10 };
    const intents = await scene.db.transaction(async (tx) => {
      await tx.rows("UPDATE job_intent SET enqueued_at = NULL WHERE state = 'pending'");
      return unqueuedIntents(tx, limits);
    });
    expect(intentPublications(intents).map(({ behind }) => behind)).to.deep.equal([0, 1, 2, 0]);
    await work();
    await png("5.png");
    const [last] = await pending();
    expect(
      await scene.db.rows("SELECT payload->'behind' AS behind FROM job_intent WHERE id = $1", [
        last?.intentId,
      ]),
    ).to.deep.equal([{ behind: 0 }]);
    await work();
  });

  it("wait until the file store works again", async () => {
    const file = await png();
    const id = await post(link(file));
    const away: FileStore = {
      ...testFiles(),
      get: () => Promise.reject(new StorageUnavailable("away")),
    };
    const failure = await work(away).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(StorageUnavailable);
    expect(await htmlOf(id)).to.equal(preview(file, placeholder));
    expect((await imageOf(file))?.state).to.equal("pending");
    await work();
    expect(await htmlOf(id)).to.equal(preview(file, thumbnailIn(file, "1000x800")));
  });

  it("are deleted with the file, also one that is deleted while they are made", async () => {
    const client = scene.as(author);
    const remove = async () => {
      const { attachments } = await client.succeed(listAttachments);
      await client.succeed(deleteAttachment, { path: { attachment_id: nth(attachments, 0).id } });
    };
    const file = await upload(client, "m.gif", gifPicture(2), "image/gif");
    await work();
    const keys = await keysOf(file);
    expect(keys).to.have.length(2);
    await remove();
    const unused = (await unusedObjects()).map(({ key }) => key);
    expect(unused).to.include.members(keys);
    const other = await png();
    const { objectKey } = await scene.db.prisma.attachment.findUniqueOrThrow({
      where: { pathId: other.pathId },
    });
    const store = testFiles();
    let removed = false;
    await work({
      get: store.get.bind(store),
      read: store.read.bind(store),
      delete: store.delete.bind(store),
      stat: store.stat.bind(store),
      check: store.check.bind(store),
      close: () => Promise.resolve(),
      about: store.about,
      async put(...args) {
        if (!removed) await remove();
        removed = true;
        return store.put(...args);
      },
    });
    expect(removed).to.equal(true);
    // Keys that the gateway reserved for later uploads are among the unused ones, and its next upload takes one.
    const more = (await unusedObjects())
      .map(({ key }) => key)
      .filter((key) => !unused.includes(key) || key === objectKey);
    expect(more, "the original of the deleted file").to.deep.equal([objectKey]);
  });
});
