import { getReadReceipts } from "@carillon/contract";
import {
  changeOrganization,
  changeSettings,
  channel,
  countQueries,
  deactivateUser,
  muteUser,
  organization,
  pastMessages,
  refused,
  refusedAlike,
  subscribe,
  type TestAccount,
  unsubscribe,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, setFlags, write } from "../../test-support/reading-messages.ts";

describe("GET /messages/{message_id}/read_receipts", () => {
  const scene = useScene();

  const get = (by: TestAccount, id: number | string) =>
    scene.as(by).call(getReadReceipts, { path: { message_id: id } });
  const readBy = async (by: TestAccount, id: number) => {
    const { body } = await get(by, id);
    expect(Object.keys(body)).to.have.members(["result", "msg", "user_ids"]);
    return body.user_ids;
  };
  const ids = (...accounts: TestAccount[]) => accounts.map(({ id }) => id).sort((a, b) => a - b);
  const read = async (id: number, ...accounts: TestAccount[]) => {
    for (const account of accounts) await setFlags(scene.db, account, 1, id);
  };

  it("lists the readers of a channel message without its sender", async () => {
    const { db, gateway, org } = scene;
    const { owner, member, guest, bot, admin } = org;
    const room = await channel(db, org.realm, { subscribers: [owner, member, guest, bot, admin] });
    const id = await post(gateway, owner, room);
    expect(await readBy(owner, id)).to.deep.equal([]);
    await read(id, owner, guest, member, bot);
    for (const by of [owner, member, guest, admin])
      expect(await readBy(by, id)).to.deep.equal(ids(member, guest, bot));
    // Receipts belong to one message each.
    expect(await readBy(owner, await post(gateway, owner, room))).to.deep.equal([]);
  });

  it("lists the readers of a direct message", async () => {
    const { gateway, org } = scene;
    const id = await write(gateway, org.owner, [org.member, org.guest]);
    await read(id, org.owner, org.member);
    expect(await readBy(org.guest, id)).to.deep.equal([org.member.id]);
    const note = await write(gateway, org.owner, [org.owner]);
    await read(note, org.owner);
    expect(await readBy(org.owner, note)).to.deep.equal([]);
  });

  it("includes readers who have left the channel, and readers with a historical copy", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.owner, org.guest] });
    const id = await post(gateway, org.owner, room);
    await read(id, org.guest);
    await unsubscribe(db, room, org.guest);
    await db.rows("INSERT INTO user_messages VALUES ($1, $2, 131)", [org.member.id, id]);
    expect(await readBy(org.admin, id)).to.deep.equal(ids(org.guest, org.member));
  });

  it("excludes accounts that disabled receipts, are deactivated, or are muted in either direction", async () => {
    const { db, gateway, org } = scene;
    const [secret, gone, muted, muting] = await Promise.all(
      Array.from({ length: 4 }, () => user(db, org.realm)),
    );
    if (!secret || !gone || !muted || !muting) throw new Error("somebody is missing");
    const everybody = [secret, gone, muted, muting, org.member, org.admin];
    const room = await channel(db, org.realm, { subscribers: [org.owner, ...everybody] });
    const id = await post(gateway, org.owner, room);
    await read(id, ...everybody);
    await changeSettings(db, secret, { send_read_receipts: false });
    await deactivateUser(db, gone);
    await muteUser(db, org.member, muted);
    await muteUser(db, muting, org.member);
    expect(await readBy(org.member, id)).to.deep.equal(ids(org.member, org.admin));
    expect(await readBy(org.admin, id)).to.deep.equal(ids(org.member, org.admin, muted, muting));
    expect(await readBy(secret, id)).to.not.include(secret.id);
  });

  it("is refused if the organization disables read receipts", async () => {
    const own = await organization(scene.db);
    const id = await write(scene.gateway, own.owner, [own.member]);
    await changeOrganization(scene.db, own.realm, { enableReadReceipts: false });
    const { msg } = await refused(scene.db, () => get(own.owner, id), "BAD_REQUEST", {});
    expect(msg).to.contain("read receipts");
  });

  it("is refused for messages that do not exist or are hidden from the caller", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const before = await post(gateway, org.owner, room);
    await subscribe(db, room, org.member);
    const direct = await write(gateway, org.owner, [org.guest]);
    const hidden = [before, direct, 0, 2 ** 31, 2 ** 53 - 1, "9007199254740993"];
    await refusedAlike(db, hidden, (id) => get(org.member, id));
    await refused(
      db,
      () => gateway.anonymous.get(`/api/v1/messages/${direct}/read_receipts`),
      "UNAUTHORIZED",
    );
  });

  it("runs the same number of statements for any number of readers", async () => {
    const { db, org } = scene;
    const crowd = await Promise.all(Array.from({ length: 6 }, () => user(db, org.realm)));
    const room = await channel(db, org.realm, { subscribers: crowd });
    const [id = 0] = await pastMessages(db, room, org.owner);
    const count = async () => (await countQueries(db, () => readBy(org.member, id))).count;
    const none = await count();
    await read(id, ...crowd);
    expect(await count()).to.equal(none);
    expect(await readBy(org.member, id)).to.have.length(6);
  });
});
