import {
  addReaction,
  addRealmEmoji,
  deactivateRealmEmoji,
  getMessage,
  listRealmEmoji,
  register,
  removeReaction,
  updateStatus,
} from "@carillon/contract";
import {
  channel,
  organization,
  refused,
  refusedWith,
  send,
  sizeOfPng,
  testGif,
  testPng,
  toChannel,
  unique,
  usePictureWorker,
  user,
  useScene,
  watch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Custom emoji", () => {
  const scene = useScene();
  const { db } = scene;
  usePictureWorker(db);
  let own: TestAccount;
  let channelId: number;
  before(async () => {
    own = await user(db, scene.org.realm);
    ({ id: channelId } = await channel(db, own, { subscribers: [own, scene.org.guest] }));
  });

  const add = (account: TestAccount, name: string, picture: Blob = testPng(200, 100)) =>
    scene
      .as(account)
      .call(addRealmEmoji, { path: { emoji_name: name }, files: { "emoji.png": picture } });
  const added = async (
    name = unique("emoji").replaceAll("-", "_").toLowerCase(),
    picture?: Blob,
  ) => {
    const { status, body } = await add(own, name, picture);
    expect(status, JSON.stringify(body)).to.equal(200);
    const found = Object.values(await listed()).filter((each) => each.name === name);
    return found.find(({ deactivated }) => !deactivated)!;
  };
  const remove = (account: TestAccount, name: string) =>
    scene.as(account).call(deactivateRealmEmoji, { path: { emoji_name: name } });
  const listed = async () => (await scene.as(scene.org.guest).succeed(listRealmEmoji)).emoji;
  const read = async (path: string) => {
    const response = await fetch(scene.gateway.url + path);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, type: response.headers.get("content-type"), bytes };
  };
  const html = async (content: string) => {
    const id = await send(scene.as(own), toChannel(channelId, { content }));
    const { message } = await scene
      .as(own)
      .succeed(getMessage, { path: { message_id: id }, params: { apply_markdown: true } });
    return { id, html: message.content };
  };

  it("are listed for everyone, with pictures that need no credentials", async () => {
    const emoji = await added("acme_logo");
    expect(emoji).to.deep.include({
      name: "acme_logo",
      still_url: null,
      deactivated: false,
      author_id: own.id,
    });
    const { realm } = scene.org;
    expect(emoji.source_url).to.match(
      new RegExp(`^/user_avatars/${realm.id}/emoji/images/[0-9a-f]{8}\\.png$`),
    );
    const { bytes } = await read(emoji.source_url);
    expect(sizeOfPng(bytes)).to.deep.equal([64, 64]);
    const snapshot: Record<string, unknown> = await scene.as(scene.org.guest).succeed(register);
    expect(snapshot["realm_emoji"]).to.deep.equal(await listed());
    const other = await organization(db);
    expect((await scene.as(other.owner).succeed(listRealmEmoji)).emoji).to.deep.equal({});
  });

  it("stay animated, and have a still picture then", async () => {
    const emoji = await added("dancing_gif", testGif);
    const moving = await read(emoji.source_url);
    expect([moving.status, moving.type]).to.deep.equal([200, "image/gif"]);
    // Width and height, and two image descriptors.
    const gif = Buffer.from(moving.bytes);
    expect([gif.readUInt16LE(6), gif.readUInt16LE(8)]).to.deep.equal([64, 64]);
    expect(emoji.still_url).to.match(/\/emoji\/images\/still\/[0-9a-f]{8}\.png$/);
    const still = await read(emoji.still_url ?? "");
    expect(sizeOfPng(still.bytes)).to.deep.equal([64, 64]);
    expect(still.bytes.length).to.be.lessThan(128 * 1024);
  });

  it("have names of a-z, 0-9, _ and -", async () => {
    for (const name of ["A", "a-", "ü", "a b-", "_", "a".repeat(101), "a/b", " "])
      await refused(db, () => add(own, name), "BAD_REQUEST");
    await added("two words").catch(() => {});
    expect(Object.values(await listed()).map(({ name }) => name)).to.include("two_words");
  });

  it("are refused in the order of the checks, before the file is read", async () => {
    const huge = new Blob([new Uint8Array(6 * 1024 ** 2)], { type: "image/png" });
    await added("taken");
    await refused(db, () => add(own, "Bad", huge), "BAD_REQUEST");
    await refused(db, () => add(scene.org.guest, "guests", huge), "BAD_REQUEST");
    await refused(db, () => add(own, "taken", huge), "BAD_REQUEST");
    const builtIn = await refused(db, () => add(own, "smile", huge), "BAD_REQUEST");
    expect(builtIn.msg).to.contain("built-in");
    const noFile = await refused(
      db,
      () => scene.as(own).call(addRealmEmoji, { path: { emoji_name: "smile" }, files: {} }),
      "BAD_REQUEST",
    );
    expect(noFile.msg).to.contain("file part");
    await refused(db, () => add(own, "zulip", huge), "BAD_REQUEST");
    await refused(db, () => add(own, "huge", huge), "REQUEST_TOO_LARGE");
    const tiff = new Blob(["II*\0"], { type: "image/tiff" });
    await refused(db, () => add(own, "tiff", tiff), "BAD_IMAGE");
    expect((await add(scene.org.admin, "smile")).status).to.equal(200);
  });

  it("are added by those whom the organization permits, never by guests", async () => {
    const strict = await organization(db);
    const { id } = await db.prisma.namedUserGroup.findFirstOrThrow({
      where: { realmId: strict.realm.id, name: "role:moderators" },
    });
    await db.rows("UPDATE realms SET can_add_custom_emoji_group_id = $2 WHERE id = $1", [
      strict.realm.id,
      id,
    ]);
    await refused(db, () => add(strict.member, "my_own_one"), "BAD_REQUEST");
    expect((await add(strict.moderator, "my_own_one")).status).to.equal(200);
  });

  it("can be deactivated by administrators and their author, and their name is free then", async () => {
    const emoji = await added("fleeting");
    await refused(db, () => remove(scene.org.member, "fleeting"), "BAD_REQUEST");
    await refused(db, () => remove(own, "unknown_name"), "BAD_REQUEST", {}, 404);
    expect((await remove(own, "fleeting")).status).to.equal(200);
    await refused(db, () => remove(own, "fleeting"), "BAD_REQUEST", {}, 404);
    expect((await listed())[emoji.id]).to.deep.equal({ ...emoji, deactivated: true });
    const again = await added("fleeting");
    expect(again.id).not.to.equal(emoji.id);
    expect((await remove(scene.org.admin, "fleeting")).status).to.equal(200);
    // Messages that show it keep its picture.
    expect((await read(emoji.source_url)).status).to.equal(200);
  });

  it("are sent to everyone: single changes to clients that support these, all emoji to others", async () => {
    const modern = { client_capabilities: { individual_emoji_changes: true } };
    const { member, guest } = await watch(
      scene.gateway,
      {
        member: { account: scene.org.member, params: modern },
        guest: { account: scene.org.guest },
      },
      async () => {
        await added("announced");
        await remove(own, "announced");
      },
    );
    const [emoji] = Object.values(await listed()).filter(({ name }) => name === "announced");
    const plain = member.map(({ id: _id, ...event }) => event);
    expect(plain).to.deep.equal([
      { type: "realm_emoji", op: "add", emoji: { ...emoji, deactivated: false } },
      { type: "realm_emoji", op: "update_one", emoji_id: emoji?.id, data: { deactivated: true } },
    ]);
    expect(guest.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "realm_emoji/update",
      "realm_emoji/update",
    ]);
    expect(guest.at(-1)?.["realm_emoji"]).to.deep.equal(await listed());
  });

  it("are shown in messages, and are text again once they are deactivated", async () => {
    const { source_url: url } = await added("acme_smile");
    expect((await html("hi :acme_smile: there")).html).to.equal(
      `<p>hi <img alt=":acme_smile:" class="emoji" src="${url}" title="acme smile"> there</p>`,
    );
    await remove(own, "acme_smile");
    expect((await html(":acme_smile:")).html).to.equal("<p>:acme_smile:</p>");
  });

  it("come before a built-in emoji of the same name", async () => {
    const replaced = await organization(db);
    expect((await add(replaced.owner, "cake")).status).to.equal(200);
    const sent = await scene
      .as(replaced.owner)
      .post("/api/v1/messages/render", { content: ":cake:" });
    expect(sent.body["rendered"]).to.match(
      /^<p><img alt=":cake:" class="emoji" src="\/user_avatars/,
    );
  });

  it("are reactions by name and by id, which can be taken away after the emoji is deactivated", async () => {
    const emoji = await added("reacting");
    const { id } = await html("react to this");
    const path = { message_id: id };
    const by = (account: TestAccount) => scene.as(account);
    const reactions = async () => {
      const { message } = await by(own).succeed(getMessage, { path: { message_id: id } });
      return message.reactions.map((each) => [
        each.emoji_name,
        each.emoji_code,
        each.reaction_type,
      ]);
    };
    await by(own).succeed(addReaction, { path, params: { emoji_name: "reacting" } });
    expect(await reactions()).to.deep.equal([["reacting", emoji.id, "realm_emoji"]]);
    await remove(own, "reacting");
    const whole = { emoji_name: "reacting", emoji_code: emoji.id, reaction_type: "realm_emoji" };
    const other = await html("not yet");
    await refused(
      db,
      () => by(own).call(addReaction, { path: { message_id: other.id }, params: whole }),
      "BAD_REQUEST",
    );
    await refused(
      db,
      () => by(own).call(addReaction, { path, params: { emoji_name: "reacting" } }),
      "BAD_REQUEST",
    );
    await by(scene.org.guest).succeed(addReaction, { path, params: whole });
    await by(own).succeed(removeReaction, { path, params: whole });
    const named = { emoji_name: "reacting", reaction_type: "realm_emoji" };
    await by(scene.org.guest).succeed(removeReaction, { path, params: named });
    expect(await reactions()).to.deep.equal([]);
    // An emoji of another organization.
    const foreign = await organization(db);
    expect((await add(foreign.owner, "foreign")).status).to.equal(200);
    const [theirs] = Object.keys((await scene.as(foreign.owner).succeed(listRealmEmoji)).emoji);
    await refused(
      db,
      () =>
        by(own).call(addReaction, {
          path,
          params: { emoji_name: "foreign", emoji_code: theirs, reaction_type: "realm_emoji" },
        }),
      "BAD_REQUEST",
    );
  });

  it("are statuses", async () => {
    const emoji = await added("busy_bee");
    const { events } = await watch(scene.gateway, { events: { account: scene.org.guest } }, () =>
      scene.as(own).succeed(updateStatus, { params: { emoji_name: "busy_bee" } }),
    );
    const status = { emoji_name: "busy_bee", emoji_code: emoji.id, reaction_type: "realm_emoji" };
    expect(events).to.have.length(1);
    expect(events[0]).to.include({ user_id: own.id, ...status });
    // Another emoji of the same name is a change.
    await remove(own, "busy_bee");
    await refused(
      db,
      () => scene.as(own).call(updateStatus, { params: { emoji_name: "busy_bee" } }),
      "BAD_REQUEST",
    );
    const again = await added("busy_bee");
    const more = await watch(scene.gateway, { events: { account: scene.org.guest } }, () =>
      scene.as(own).succeed(updateStatus, { params: { emoji_name: "busy_bee" } }),
    );
    expect(more.events.map((event) => event["emoji_code"])).to.deep.equal([again.id]);
  });

  it("exist once for each name, however many are added at once", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(own, "only_one")));
    expect(answers.map(({ status }) => status)).to.have.members([200, 400, 400, 400]);
    const named = Object.values(await listed()).filter(({ name }) => name === "only_one");
    expect(named).to.have.length(1);
  });

  it("are at most 1,000 active ones in an organization", async () => {
    const full = await organization(db);
    const fill = (count: number, deactivated: boolean) =>
      db.rows(
        `INSERT INTO realm_emoji (realm_id, name, author_id, deactivated, file)
        SELECT $1, 'e' || $4::bool || n, $2, $4, '00000000.png' FROM generate_series(1, $3::int) n`,
        [full.realm.id, full.owner.id, count, deactivated],
      );
    await fill(999, false);
    const answers = await Promise.all([add(full.owner, "last"), add(full.owner, "one_too_many")]);
    expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    await db.rows("UPDATE realm_emoji SET deactivated = true WHERE realm_id = $1", [full.realm.id]);
    expect((await add(full.owner, "after")).status).to.equal(200);
    await fill(3_999, true);
    refusedWith(await add(full.owner, "far_too_many"), "BAD_REQUEST");
  });
});
