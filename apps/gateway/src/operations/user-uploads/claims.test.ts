import { deleteAttachment, getTemporaryUrl, listAttachments } from "@carillon/contract";
import {
  channel,
  deliverNow,
  kindsOf,
  refused,
  scheduledMessage,
  send,
  subscribe,
  succeeded,
  toChannel,
  toUsers,
  unsubscribe,
  upload,
  type Uploaded,
  user,
  useScene,
  watch,
  type GatewayClient,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Messages that link to uploaded files", () => {
  const scene = useScene();
  let author: TestAccount;
  let reader: TestAccount;
  let outsider: TestAccount;
  let room: TestChannel;
  let file: Uploaded;
  beforeEach(async () => {
    const { db, org } = scene;
    [author, reader, outsider] = await Promise.all([
      user(db, org.realm),
      user(db, org.realm),
      user(db, org.realm),
    ]);
    room = await channel(db, author, {
      subscribers: [author, reader, org.owner],
      inviteOnly: true,
    });
    file = await upload(scene.as(author), "plan.txt", "the plan");
  });

  const link = ({ url }: Uploaded = file) => `[file](${url})`;
  const as = (account: TestAccount): GatewayClient => scene.as(account);
  const attachments = async (by = author) => (await as(by).succeed(listAttachments)).attachments;
  const claims = async () =>
    (await attachments()).find(({ path_id }) => path_id === file.pathId)?.message_ids;
  const reads = async (by: TestAccount) =>
    (await as(by).call(getTemporaryUrl, { path: { path_id: file.pathId } })).status === 200;
  const post = (content: string, by = author, to: number = room.id) =>
    send(as(by), toChannel(to, { content }));
  const edit = async (id: number, content: string, by = author) => {
    const answer = await as(by).patch(`/api/v1/messages/${id}`, { content });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body["detached_uploads"] as Array<{ path_id: string }>;
  };
  const found = async (operand: string, operator = "has", by = author) => {
    const narrow = [{ operator, operand }];
    const answer = await as(by).get("/api/v1/messages", {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow,
    });
    return (answer.body["messages"] as Array<{ id: number }>).map(({ id }) => id);
  };

  it("claim them: relative, absolute, with escapes, each once", async () => {
    const spaced = await upload(as(author), "ä b.txt", "x");
    const links = [
      `${link()} and again ${link()}`,
      `http://carillon.test${file.url}`,
      `[b](${encodeURI(spaced.url)})`,
    ];
    const id = await post(links.join("\n"));
    for (const one of await attachments()) expect(one.message_ids, one.name).to.deep.equal([id]);
    expect(await found("attachment")).to.deep.equal([id]);
    expect(await found("link")).to.include(id);
  });

  it("are found by the name of the file, however they write its address", async () => {
    const { url } = await upload(as(author), "Übersicht quarterly.txt", "x");
    const written = [url, encodeURI(url), `http://carillon.test${encodeURI(url)}`];
    const ids: number[] = [];
    for (const address of written) ids.push(await post(`see [here](${address})`));
    for (const word of ["quarterly", "Übersicht"])
      expect(await found(word, "search"), word).to.deep.equal(ids);
  });

  it("do not claim files in code, on other servers, or without access of the author", async () => {
    const [foreign, theirs] = [await post("nothing"), await upload(as(reader), "their.txt", "x")];
    for (const content of [
      `\`${file.url}\``,
      `http://elsewhere.test${file.url}`,
      `[x](/user_uploads/${scene.org.realm.id}/ab/AAAAAAAAAAAAAAAAAAAAAAAA/x.txt)`,
      `[x](${theirs.url})`,
    ])
      await post(content);
    expect(await claims()).to.deep.equal([]);
    expect((await attachments(reader))[0]?.message_ids).to.deep.equal([]);
    expect(await found("attachment")).to.not.include(foreign);
  });

  it("let their readers read the file, and pass it on", async () => {
    expect([await reads(reader), await reads(outsider)]).to.deep.equal([false, false]);
    const id = await post(`[plan](${file.url})`);
    expect([await reads(reader), await reads(outsider)]).to.deep.equal([true, false]);
    const passed = await send(as(reader), toUsers([outsider.id], { content: link() }));
    expect(await reads(outsider)).to.equal(true);
    expect(await claims()).to.deep.equal([id, passed]);
  });

  it("end access when the reader leaves, and when the message is edited or deleted", async () => {
    await post(`[plan](${file.url})`);
    await unsubscribe(scene.db, room, reader);
    expect(await reads(reader)).to.equal(false);
    await subscribe(scene.db, room, reader);
    expect(await reads(reader)).to.equal(true);
    const [id = 0] = (await claims()) ?? [];
    await edit(id, "no link");
    expect(await reads(reader)).to.equal(false);
    await edit(id, `again ${link()}`);
    expect(await reads(reader)).to.equal(true);
    expect((await as(scene.org.owner).delete(`/api/v1/messages/${id}`)).status).to.equal(200);
    expect([await reads(reader), await reads(author)]).to.deep.equal([false, true]);
    expect(await claims()).to.deep.equal([]);
  });

  it("return the editor's own files without a remaining link as detached_uploads", async () => {
    const other = await upload(as(author), "other.txt", "x");
    const [first, second] = [await post(`${link()} ${link(other)}`), await post(link())];
    expect(await edit(first, "none")).to.deep.equal(
      (await attachments()).filter(({ path_id }) => path_id === other.pathId),
    );
    const [detached] = await edit(second, `kept ${link(other)}`);
    expect(detached).to.deep.include({ path_id: file.pathId, message_ids: [] });
    await post(link());
    await scheduledMessage(scene.db, author, room, {
      content: `later ${link(other)}`,
      row: { hasAttachment: true },
    });
    expect(await edit(second, "none")).to.deep.equal([]);
  });

  it("send an event to the uploader for each added and removed claim", async () => {
    const id = await post("before");
    const queues = { author: { account: author }, reader: { account: reader } };
    const events = await watch(scene.gateway, queues, async () => {
      await edit(id, link());
      await send(as(author), toUsers([reader.id], { content: link() }));
      await send(as(reader), toUsers([author.id], { content: `yours: ${link()}` }));
      await as(scene.org.owner).delete(`/api/v1/messages/${id}`);
      await as(author).succeed(deleteAttachment, {
        path: { attachment_id: (await attachments())[0]?.id ?? 0 },
      });
    });
    const ofFile = events.author.filter(({ type }) => type === "attachment");
    expect(kindsOf(ofFile)).to.deep.equal([
      ...Array<string>(4).fill("attachment/update"),
      "attachment/remove",
    ]);
    const ids = ofFile
      .slice(0, 4)
      .map(({ attachment }) => (attachment as { message_ids: number[] }).message_ids.length);
    expect(ids).to.deep.equal([1, 2, 3, 2]);
    expect(events.reader.filter(({ type }) => type === "attachment")).to.deep.equal([]);
  });

  it("claim on delivery if the author may then read the file", async () => {
    const theirs = await upload(as(reader), "theirs.txt", "x");
    await send(as(reader), toUsers([author.id], { content: link(theirs) }));
    await as(author).succeed(getTemporaryUrl, { path: { path_id: theirs.pathId } });
    const later = {
      type: "channel",
      to: room.id,
      topic: "t",
      scheduled_delivery_timestamp: 4_102_444_800,
    };
    const ids: number[] = [];
    for (const content of [`own ${link()}`, `not own ${link(theirs)}`]) {
      const answer = await as(author).post("/api/v1/scheduled_messages", { ...later, content });
      ids.push(Number(succeeded(answer)["scheduled_message_id"]));
    }
    expect(await claims()).to.deep.equal([]);
    const [direct] = (await attachments(reader))[0]?.message_ids ?? [];
    expect(
      (await as(reader).patch(`/api/v1/messages/${direct}`, { content: "taken back" })).status,
    ).to.equal(200);
    await deliverNow(scene.db, scene.org.realm, ids);
    expect(await claims()).to.have.length(1);
    expect((await attachments(reader))[0]?.message_ids).to.deep.equal([]);
  });

  it("delete only own files, once", async () => {
    const [{ id } = { id: 0 }] = await attachments();
    const remove = (by: TestAccount, attachment_id: number | string) =>
      as(by).call(deleteAttachment, { path: { attachment_id } });
    await refused(scene.db, () => remove(reader, id), "BAD_REQUEST", {});
    await refused(scene.db, () => remove(author, 2_000_000_000), "BAD_REQUEST", {});
    await refused(scene.db, () => remove(author, "99999999999999999999"), "BAD_REQUEST", {});
    await post(link());
    expect((await remove(author, id)).status).to.equal(200);
    await refused(scene.db, () => remove(author, id), "BAD_REQUEST", {});
    expect([await reads(author), await reads(reader)]).to.deep.equal([false, false]);
  });
});
