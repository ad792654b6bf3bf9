import { getMessages } from "@carillon/contract";
import {
  channel,
  countQueries,
  organization,
  refused,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";
import { idsFor, post, term, write } from "../../test-support/reading-messages.ts";

describe("GET /messages: parameters", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: TestChannel;

  before(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.member, org.owner] });
    await post(gateway, org.owner, room);
  });

  const ask = (params: Record<string, unknown>) =>
    gateway.as(org.member).call(getMessages, { params });
  const window = { anchor: "newest", num_before: 10, num_after: 0 };

  const refuses = (params: Record<string, unknown>, code?: string) =>
    refused(db, () => ask(params), code);

  it("require authentication, and allow bots", async () => {
    await refused(
      db,
      () => gateway.anonymous.call(getMessages, { params: window }),
      "UNAUTHORIZED",
    );
    const web = { ...window, narrow: [term("channels", "web-public")] };
    await refused(db, () => gateway.anonymous.call(getMessages, { params: web }), "UNAUTHORIZED");
    expect((await gateway.as(org.bot).call(getMessages, { params: window })).status).to.equal(200);
  });

  it("are reported if unsupported", async () => {
    const { body } = await ask({ ...window, colour: "red" });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["colour"]);
  });

  it("require the number of messages, unless message IDs are given", async () => {
    expect(
      await refuses({ anchor: "newest", num_after: 1 }, "REQUEST_VARIABLE_MISSING"),
    ).to.include({ var_name: "num_before" });
    expect(
      await refuses({ anchor: "newest", num_before: 1 }, "REQUEST_VARIABLE_MISSING"),
    ).to.include({ var_name: "num_after" });
    await refuses({ num_before: 1, num_after: 1 });
    for (const wrong of [-1, "1.5", "many", "", "null", true, '"1"']) {
      await refuses({ ...window, num_before: wrong });
      await refuses({ ...window, num_after: wrong });
    }
  });

  it("require an anchor of a documented kind", async () => {
    for (const anchor of ["", "first", "NEWEST", "1.5", '"5"', "null"])
      await refuses({ ...window, anchor });
    await refuses({ ...window, anchor: "date" });
    for (const anchor_date of [
      "",
      " ",
      "yesterday",
      "null",
      '"2026-01-31"',
      "2026-02-30",
      "2026-W54",
      "2026-366",
      "2026-01-31T24:01",
      "2026-01-31T22:59:60Z",
      "2026-01-31T10:00+24:00",
      "+275760-09-14",
      "1769817600",
      "2".repeat(10_000),
      `2026-01-31T09:05:07.${"1".repeat(10_000)}`,
    ])
      await refuses({ ...window, anchor: "date", anchor_date });
  });

  it("require valid booleans", async () => {
    for (const name of [
      "include_anchor",
      "client_gravatar",
      "apply_markdown",
      "allow_empty_topic_name",
      "use_first_unread_anchor",
    ])
      for (const wrong of ["True", "1", "", "null"]) await refuses({ ...window, [name]: wrong });
  });

  it("refuse to exclude the anchor from a window with both sides", async () => {
    await refuses({ anchor: "5", num_before: 1, num_after: 1, include_anchor: false });
    for (const side of ["num_before", "num_after"])
      expect(
        (await ask({ anchor: "5", num_before: 1, num_after: 1, include_anchor: false, [side]: 0 }))
          .status,
      ).to.equal(200);
  });

  it("request 5000 messages at most", async () => {
    expect((await ask({ anchor: "5", num_before: 2500, num_after: 2500 })).status).to.equal(200);
    await refuses({ anchor: "5", num_before: 2500, num_after: 2501 });
    await refuses({ anchor: "5", num_before: 10_000_000_000_000_000, num_after: 0 });
    const many = (length: number) => ({ message_ids: Array.from({ length }, (_, i) => i) });
    expect((await ask(many(5000))).status).to.equal(200);
    await refuses(many(5001));
  });

  it("refuse message IDs combined with window parameters, whatever their values", async () => {
    for (const [name, value] of [
      ["anchor", "newest"],
      ["include_anchor", true],
      ["use_first_unread_anchor", false],
      ["num_before", 0],
      ["num_after", 0],
    ] as const)
      expect(await refuses({ message_ids: [1], [name]: value })).to.include({ parameters: name });
    expect(
      await refuses({ message_ids: [1], num_after: 1, num_before: 1, anchor: "5" }),
    ).to.include({ parameters: "anchor, num_before, num_after" });
    for (const wrong of ["5", "[true]", '["5"]', "[5.0]", "", "null", "{}"])
      await refuses({ message_ids: wrong });
    expect(
      (await ask({ message_ids: [-1, 10_000_000_000_000_000, 0] })).body.messages,
    ).to.deep.equal([]);
  });

  it("require narrows of objects or of pairs of strings", async () => {
    const shapes = [
      "{}",
      "5",
      "[5]",
      '["is:dm"]',
      '[["is"]]',
      '[["is","dm","x"]]',
      '[["channel",5]]',
      '[{"operator":"is"}]',
      '[{"operand":"dm"}]',
      '[{"operator":"is","operand":null}]',
      '[{"operator":null,"operand":"dm"}]',
      '[{"operator":5,"operand":"dm"}]',
      '[{"operator":"is","operand":"dm","negated":1}]',
      '[{"operator":"is","operand":true}]',
      '[{"operator":"dm","operand":["a@b.test"]}]',
      "[",
      "",
    ];
    for (const narrow of shapes) await refuses({ ...window, narrow });
    for (const narrow of [
      "[]",
      "null",
      '[["is","dm"]]',
      '[{"operator":"is","operand":"dm","negated":false}]',
      '[{"operator":"is","operand":"dm","more":1}]',
    ])
      expect((await ask({ ...window, narrow })).status, narrow).to.equal(200);
    await refuses({ ...window, narrow: Array.from({ length: 101 }, () => term("near", "1")) });
  });

  it("are checked in the documented order", async () => {
    const bad = [term("channel", "nowhere")];
    // Types, combination with IDs, anchor, `with`, number of messages, include_anchor, terms.
    const operand = [...bad, term("topic", 5)];
    await refuses({ message_ids: [1], anchor: "5", narrow: operand });
    expect(await refuses({ message_ids: [1], anchor: "wrong", narrow: bad })).to.include({
      parameters: "anchor",
    });
    await refuses({ ...window, anchor: "wrong", narrow: [term("with", "x")] });
    await refuses({ ...window, num_before: 5001, narrow: [term("with", "x")] }, "BAD_NARROW");
    await refuses({ ...window, num_before: 5001, narrow: bad });
    await refuses({ anchor: "5", num_before: 1, num_after: 1, include_anchor: false, narrow: bad });
    await refuses({ ...window, narrow: bad }, "BAD_NARROW");
  });

  it("take the same number of statements for any number of messages and terms", async () => {
    const ids = [
      await post(gateway, org.owner, room, "one"),
      await write(gateway, org.owner, [org.member]),
    ];
    const few = await countQueries(db, () =>
      idsFor(gateway, org.member, [term("sender", org.owner.id)]),
    );
    const narrow = [
      term("sender", org.owner.id),
      term("sender", org.owner.email),
      term("sender", org.member.id, true),
      term("sender", org.guest.email, true),
    ];
    for (let i = 0; i < 10; i++)
      ids.push(
        await post(gateway, org.owner, room, `topic ${i}`),
        await write(gateway, org.owner, [org.member, i % 2 ? org.guest : org.admin]),
      );
    const many = await countQueries(db, () => idsFor(gateway, org.member, narrow));
    expect(many.result).to.include.members(ids);
    expect(many.count, many.statements.join("\n")).to.equal(few.count).and.to.be.at.most(10);
  });
});
