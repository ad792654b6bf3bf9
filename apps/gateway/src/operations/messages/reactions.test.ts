import { addReaction, getMessage, removeReaction } from "@carillon/contract";
import {
  bot,
  changeChannel,
  changesOf,
  channel,
  countQueries,
  crowd,
  organization,
  pastMessages,
  react,
  refused,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useScene,
  user,
  withEvents,
} from "@carillon/testkit";
import { codeToNames } from "@carillon/markdown";
import { expect } from "chai";

import { all, idsFor, post, term, write } from "../../test-support/reading-messages.ts";

describe("POST and DELETE /messages/{message_id}/reactions", () => {
  const scene = useScene();
  const { db } = scene;
  let writer: TestAccount;
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    [writer, reader] = [await user(db, scene.org.realm), await user(db, scene.org.realm)];
    room = await channel(db, scene.org.realm, { subscribers: [writer, reader] });
  });

  type Params = Readonly<Record<string, unknown>>;
  const add = (by: TestAccount, message_id: number | string, params: Params) =>
    scene.as(by).call(addReaction, { path: { message_id }, params });
  const remove = (by: TestAccount, message_id: number | string, params: Params) =>
    scene.as(by).call(removeReaction, { path: { message_id }, params });
  const refusal = async (ask: () => ReturnType<typeof add>, code = "BAD_REQUEST") =>
    (await refused(db, ask, code, {})).msg;
  const say = (by = writer, where = room) => post(scene.gateway, by, where);
  const onMessage = async (id: number, by = writer) =>
    (await scene.as(by).succeed(getMessage, { path: { message_id: id } })).message.reactions;

  /** The events of a request, which must succeed. */
  async function received(by: TestAccount, ask: () => ReturnType<typeof add>) {
    const { answer, received: events } = await withEvents(db, by, ask);
    expect(answer).to.deep.equal({});
    return events;
  }
  const reaction = (
    by: TestAccount,
    emoji_name: string,
    emoji_code: string,
    reaction_type = "unicode_emoji",
  ) => ({
    emoji_name,
    emoji_code,
    reaction_type,
    user_id: by.id,
  });

  it("add and remove an emoji with events that contain its name, code and type", async () => {
    const id = await say();
    const audience = [writer.id, reader.id];
    const reactor = { email: reader.email, full_name: reader.fullName };
    const payload = { message_id: id, ...reaction(reader, "thumbs_up", "1f44d"), reactor };
    expect(
      await received(reader, () => add(reader, id, { emoji_name: "thumbs_up" })),
    ).to.deep.equal([{ type: "reaction", op: "add", payload, audience }]);
    expect(await onMessage(id)).to.deep.equal([reaction(reader, "thumbs_up", "1f44d")]);
    expect(await received(reader, () => remove(reader, id, { emoji_name: "+1" }))).to.deep.equal([
      { type: "reaction", op: "remove", payload, audience },
    ]);
    expect(await onMessage(id)).to.deep.equal([]);
  });

  it("appear in every form of a message, in the order of adding", async () => {
    const [plain, id] = [await say(), await say()];
    await react(scene.gateway, reader, id, "octopus", "+1");
    await react(scene.gateway, writer, id, "zulip", "octopus");
    const expected = [
      reaction(reader, "octopus", "1f419"),
      reaction(reader, "+1", "1f44d"),
      reaction(writer, "zulip", "zulip", "zulip_extra_emoji"),
      reaction(writer, "octopus", "1f419"),
    ];
    expect(await onMessage(id)).to.deep.equal(expected);
    const { messages } = await all(scene.gateway, writer);
    expect(messages.map((one) => [one.id, one.reactions])).to.deep.equal([
      [plain, []],
      [id, expected],
    ]);
    const named = await all(scene.gateway, writer, [], {
      anchor: undefined,
      num_before: undefined,
      num_after: undefined,
      message_ids: [id],
    });
    expect(named.messages[0]?.reactions).to.deep.equal(expected);
    await remove(reader, id, { emoji_name: "octopus" });
    expect(await onMessage(id)).to.deep.equal(expected.slice(1));
  });

  it("make messages match has:reaction", async () => {
    const [plain, id] = [await say(), await say()];
    await react(scene.gateway, reader, id, "car");
    const found = (negated: boolean) =>
      idsFor(scene.gateway, writer, [term("has", "reaction", negated)]);
    expect([await found(false), await found(true)]).to.deep.equal([[id], [plain]]);
  });

  describe("identify the emoji", () => {
    it("by any of its names, alone or with matching code and type", async () => {
      for (const params of [
        { emoji_name: "+1" },
        { emoji_name: "thumbs_up", emoji_code: "1f44d" },
        { emoji_name: "+1", reaction_type: "unicode_emoji" },
        { emoji_name: "like", emoji_code: "1f44d", reaction_type: "unicode_emoji" },
      ]) {
        const id = await say();
        await received(reader, () => add(reader, id, params));
        expect(await onMessage(id)).to.deep.equal([reaction(reader, params.emoji_name, "1f44d")]);
      }
      const id = await say();
      const extra = {
        emoji_name: "zulip",
        emoji_code: "zulip",
        reaction_type: "zulip_extra_emoji",
      };
      await received(reader, () => add(reader, id, extra));
    });

    it("by name and code of emoji across the emoji data", async () => {
      const id = await say();
      const names = [...codeToNames].filter((_, n) => n % 300 === 0);
      for (const [emoji_code, [emoji_name]] of names) {
        await received(reader, () => add(reader, id, { emoji_name, emoji_code }));
        await received(reader, () => remove(reader, id, { emoji_code }));
      }
    });

    it("and refuse unknown names, and codes and types of another emoji", async () => {
      const id = await say();
      const long = "x".repeat(1_000_000);
      for (const params of [
        { emoji_name: "" },
        { emoji_name: "nothing_like_it" },
        { emoji_name: "constructor" },
        { emoji_name: "👍" },
        { emoji_name: long },
        { emoji_name: "+1", emoji_code: "1f419" },
        { emoji_name: "+1", emoji_code: "" },
        { emoji_name: "+1", emoji_code: "1F44D" },
        { emoji_name: "+1", emoji_code: long, reaction_type: "unicode_emoji" },
        { emoji_name: "nothing", emoji_code: "1f44d", reaction_type: "unicode_emoji" },
        { emoji_name: "+1", reaction_type: "zulip_extra_emoji" },
        { emoji_name: "zulip", reaction_type: "unicode_emoji" },
        { emoji_name: "zulip", emoji_code: "1f44d", reaction_type: "zulip_extra_emoji" },
        { emoji_name: "+1", reaction_type: "realm_emoji" },
        { emoji_name: "party", emoji_code: "1", reaction_type: "realm_emoji" },
        { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "emoji" },
        { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "" },
        { emoji_name: "+1", emoji_code: "1f44d", reaction_type: long },
      ])
        await refusal(() => add(reader, id, params));
      const missing = await refused(
        db,
        () => add(reader, id, { emoji_code: "1f44d" }),
        "REQUEST_VARIABLE_MISSING",
      );
      expect(missing).to.include({ var_name: "emoji_name" });
    });

    it("by the name of the first reaction, even if names have changed since", async () => {
      const id = await say();
      await react(scene.gateway, reader, id, "thumbs_up");
      const [event] = await received(writer, () => add(writer, id, { emoji_name: "+1" }));
      expect(event?.payload).to.include({ emoji_name: "thumbs_up", emoji_code: "1f44d" });
      const other = { emoji_name: "no_name", emoji_code: "1f44d", reaction_type: "unicode_emoji" };
      await subscribe(db, room, scene.org.guest);
      await received(scene.org.guest, () => add(scene.org.guest, id, other));
      expect((await onMessage(id)).map(({ emoji_name }) => emoji_name)).to.deep.equal(
        Array(3).fill("thumbs_up"),
      );
      // The same code with another type is another emoji.
      await refusal(() => add(writer, id, { ...other, reaction_type: "realm_emoji" }));
    });

    it("for removal by code or name, and by type, which defaults to Unicode", async () => {
      const id = await say();
      for (const params of [
        { emoji_code: "1f44d" },
        { emoji_name: "like" },
        { emoji_name: "octopus", emoji_code: "1f44d" },
        { emoji_code: "1f44d", reaction_type: "unicode_emoji" },
      ]) {
        await react(scene.gateway, reader, id, "+1");
        const [event] = await received(reader, () => remove(reader, id, params));
        expect(event?.payload).to.include({ emoji_name: "+1", emoji_code: "1f44d" });
      }
      await react(scene.gateway, reader, id, "+1", "zulip");
      for (const params of [
        { emoji_name: "octopus" },
        { emoji_code: "" },
        { emoji_code: "1f419", emoji_name: "+1" },
        { emoji_name: "zulip" },
        { emoji_name: "+1", reaction_type: "realm_emoji" },
        { emoji_name: "+1", reaction_type: "whatever" },
      ])
        await refusal(() => remove(reader, id, params), "REACTION_DOES_NOT_EXIST");
      for (const params of [
        {},
        { reaction_type: "unicode_emoji" },
        { emoji_name: "nothing_like_it" },
      ])
        await refusal(() => remove(reader, id, params));
      await received(reader, () =>
        remove(reader, id, { emoji_name: "zulip", reaction_type: "zulip_extra_emoji" }),
      );
      expect(await onMessage(id)).to.deep.equal([reaction(reader, "+1", "1f44d")]);
    });
  });

  it("are refused the second time", async () => {
    const id = await say();
    await react(scene.gateway, reader, id, "+1");
    for (const params of [
      { emoji_name: "+1" },
      { emoji_name: "thumbs_up" },
      { emoji_name: "x", emoji_code: "1f44d", reaction_type: "unicode_emoji" },
    ])
      await refusal(() => add(reader, id, params), "REACTION_ALREADY_EXISTS");
    await refusal(() => remove(writer, id, { emoji_name: "+1" }), "REACTION_DOES_NOT_EXIST");
    await received(reader, () => remove(reader, id, { emoji_name: "+1" }));
    await refusal(() => remove(reader, id, { emoji_name: "+1" }), "REACTION_DOES_NOT_EXIST");
  });

  it("are limited to fifty of one account on a message", async () => {
    const id = await say();
    const names = [...codeToNames.values()].map(([name = ""]) => name).slice(0, 52);
    const [last = "", late = ""] = names.splice(50);
    await db.rows(
      `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
       SELECT $1, $2, 'unicode_emoji', n, n FROM unnest($3::text[]) AS n`,
      [id, reader.id, names],
    );
    expect(await refusal(() => add(reader, id, { emoji_name: last }))).to.contain("50 reactions");
    await react(scene.gateway, writer, id, last);
    expect(await refusal(() => add(reader, id, { emoji_name: last }))).to.contain("50 reactions");
    await received(reader, () => remove(reader, id, { emoji_code: names[7] }));
    await react(scene.gateway, reader, id, late);
    await react(scene.gateway, reader, await say(), last);
  });

  describe("on visible messages", () => {
    const flagsOf = async (id: number, by: TestAccount) =>
      (
        await db.rows<{ flags: number }>(
          "SELECT flags FROM user_messages WHERE user_id = $1 AND message_id = $2",
          [by.id, id],
        )
      )[0]?.flags;

    it("create a historical copy with the first emoji if the caller has no copy", async () => {
      const { member } = scene.org;
      const [id = 0] = await pastMessages(db, room, writer);
      const [event] = await received(member, () => add(member, id, { emoji_name: "+1" }));
      expect(event?.audience).to.deep.equal(
        [member.id, writer.id, reader.id].sort((a, b) => a - b),
      );
      expect(await flagsOf(id, member)).to.equal(129);
      expect(await flagsOf(id, reader)).to.equal(0);
      expect((await onMessage(id, member)).length).to.equal(1);
      const { tables } = await changesOf(db, () => add(member, id, { emoji_name: "car" }));
      expect(tables).to.have.members(["event_head", "event_log", "reactions"]);
      await remove(member, id, { emoji_name: "+1" });
      expect(await flagsOf(id, member)).to.equal(129);
    });

    it("are allowed for guests and bots, in channels, conversations and notes to oneself", async () => {
      const { guest } = scene.org;
      const robot = await bot(db, reader);
      await subscribe(db, room, guest, robot);
      const id = await say();
      for (const by of [guest, robot]) await received(by, () => add(by, id, { emoji_name: "car" }));
      const direct = await write(scene.gateway, writer, [guest, robot]);
      const audience = [guest.id, writer.id, robot.id].sort((a, b) => a - b);
      for (const by of [guest, robot]) {
        const [event] = await received(by, () => add(by, direct, { emoji_name: "car" }));
        expect(event?.audience).to.deep.equal(audience);
      }
      const note = await write(scene.gateway, writer, [writer]);
      const [event] = await received(writer, () => add(writer, note, { emoji_name: "car" }));
      expect(event?.audience).to.deep.equal([writer.id]);
    });

    it("are refused if the message is hidden from the caller, whatever the role", async () => {
      const { owner, guest, realm } = scene.org;
      const other = await organization(db);
      const closed = await channel(db, realm, { inviteOnly: true, subscribers: [writer] });
      const [early = 0] = await pastMessages(db, closed, writer);
      await subscribe(db, closed, reader);
      const words = new Set<string>();
      for (const [by, hidden] of [
        [owner, await say(writer, closed)],
        [owner, await write(scene.gateway, writer, [reader])],
        [owner, await write(scene.gateway, other.owner, [other.member])],
        [reader, early],
        [guest, await say()],
        [owner, 0],
        [owner, 2 ** 31],
        [owner, 2 ** 53 - 1],
        [owner, "9007199254740993"],
      ] as const)
        words.add(await refusal(() => add(by, hidden, { emoji_name: "+1" })));
      words.add(await refusal(() => remove(reader, early, { emoji_name: "+1" })));
      expect([...words]).to.have.length(1);
      const id = await say();
      const path = `/api/v1/messages/${id}/reactions`;
      const anonymous = () => scene.gateway.anonymous.post(path, { emoji_name: "+1" });
      await refused(db, anonymous, "UNAUTHORIZED");
    });

    it("are refused in archived channels", async () => {
      const id = await say();
      await react(scene.gateway, reader, id, "+1");
      await changeChannel(db, room, { isArchived: true });
      for (const ask of [add, remove])
        expect(await refusal(() => ask(reader, id, { emoji_name: "+1" }))).to.contain("archived");
    });
  });

  it("are sent to receivers that have left the channel only if they can still read it", async () => {
    const closed = await channel(db, scene.org.realm, {
      inviteOnly: true,
      subscribers: [writer, reader],
    });
    const [open, hidden] = [await say(), await say(writer, closed)];
    await unsubscribe(db, room, reader);
    await unsubscribe(db, closed, reader);
    const receivers = async (id: number) =>
      (await received(writer, () => add(writer, id, { emoji_name: "+1" })))[0]?.audience;
    expect(await receivers(open)).to.deep.equal([writer.id, reader.id]);
    expect(await receivers(hidden)).to.deep.equal([writer.id]);
  });

  it("take the same number of statements for any number of reactions and receivers", async () => {
    const [one, other] = [await say(), await say()];
    await react(scene.gateway, writer, one, "car");
    const few = await countQueries(db, () => add(reader, one, { emoji_name: "+1" }));
    await subscribe(db, room, ...(await crowd(db, reader, 60)));
    await db.rows(
      `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
       SELECT $1, n, 'unicode_emoji', '1f44d', '+1' FROM generate_series(1000000, 1005500) AS n`,
      [other],
    );
    const many = await countQueries(db, () => add(reader, other, { emoji_name: "+1" }));
    expect(many.count).to.equal(few.count);
    const found = await onMessage(other);
    expect(found).to.have.length(5_502);
    expect(found.map(({ user_id }) => user_id)).to.deep.equal([
      ...Array.from({ length: 5_501 }, (_, n) => 1_000_000 + n),
      reader.id,
    ]);
  });
});
