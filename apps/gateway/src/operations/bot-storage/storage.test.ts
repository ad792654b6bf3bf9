import { deleteBotStorage, getBotStorage, updateBotStorage } from "@carillon/contract";
import {
  bot,
  countQueries,
  deactivateUser,
  refused,
  refusedAlike,
  refusedWith,
  startGateway,
  useScene,
  type Gateway,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

interface Sizes {
  readonly counted: number;
  readonly stored: number;
}

/** A small limit, so that the tests can use short texts. */
const limit = 1_000;

describe("Bot storage", () => {
  const scene = useScene();
  let gateway: Gateway;
  let own: TestAccount;
  before(async () => {
    gateway = await startGateway(scene.db, { botStorageLimit: limit });
  });
  after(() => gateway.close());
  beforeEach(async () => {
    own = await bot(scene.db, scene.org.member);
  });

  type Storage = Readonly<Record<string, string>>;
  const put = (storage: unknown, by = own) =>
    gateway.as(by).call(updateBotStorage, { params: { storage } });
  const store = (storage: Storage | string, by = own) =>
    gateway.as(by).succeed(updateBotStorage, { params: { storage } });
  const get = async (keys?: readonly string[], by = own) =>
    (await gateway.as(by).succeed(getBotStorage, { params: { keys } })).storage;
  const remove = (keys?: readonly string[], by = own) =>
    gateway.as(by).succeed(deleteBotStorage, { params: { keys } });
  /** The bot's size counter and the sum over its entries. */
  const sizes = async (by = own) => {
    const [row = { counted: -1, stored: -1 }] = await scene.db.rows<Sizes>(
      `SELECT coalesce((SELECT size FROM bot_storage_usage WHERE bot_id = $1), 0)::int AS counted,
         coalesce((SELECT sum(length(name) + length(value)) FROM bot_storage_parts WHERE bot_id = $1), 0)::int AS stored`,
      [by.id],
    );
    return row;
  };

  it("returns an empty storage at first", async () => {
    expect(await get()).to.deep.equal({});
    expect(await get([])).to.deep.equal({});
    await remove();
    await remove([]);
  });

  it("stores entries, overwrites those with the same key, and leaves the others", async () => {
    const { result, msg, ...more } = await store({ a: "1", b: "2" });
    expect([result, msg, more]).to.deep.equal(["success", "", {}]);
    await store({ b: "three", c: "" });
    expect(await get()).to.deep.equal({ a: "1", b: "three", c: "" });
    expect(await sizes()).to.deep.equal({ counted: 9, stored: 9 });
    await store({});
    expect(await get()).to.deep.equal({ a: "1", b: "three", c: "" });
  });

  it("returns the requested keys only, each once, and refuses all if one is missing", async () => {
    await store({ a: "1", b: "2", c: "3" });
    expect(await get(["c", "a", "c"])).to.deep.equal({ a: "1", c: "3" });
    expect(await get([])).to.deep.equal({});
    await refusedAlike(scene.db, [["a", "x"], ["x"], ["a", "b", "c", ""]], (keys) =>
      gateway.as(own).call(getBotStorage, { params: { keys } }),
    );
  });

  it("deletes the named keys, all or none, or the whole storage", async () => {
    await store({ a: "1", b: "2", c: "3" });
    await refusedAlike(scene.db, [["a", "x"], ["x"]], (keys) =>
      gateway.as(own).call(deleteBotStorage, { params: { keys } }),
    );
    const { result, msg, ...more } = await remove(["a", "b", "a"]);
    expect([result, msg, more]).to.deep.equal(["success", "", {}]);
    expect(await get()).to.deep.equal({ c: "3" });
    await remove([]);
    expect(await get()).to.deep.equal({ c: "3" });
    await remove();
    expect(await get()).to.deep.equal({});
    expect(await sizes()).to.deep.equal({ counted: 0, stored: 0 });
  });

  it("accepts any string as a key", async () => {
    const keys = [
      "",
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "1",
      '"\\\n\t\u0001\u001f',
      "😀",
      "e\u0301",
      "\u00e9",
      "\ufeff",
      "\u2028",
      " a ",
      "' OR 1=1 --",
      "k".repeat(900),
    ];
    for (const key of keys) {
      const entry = Object.fromEntries([[key, "v"]]);
      await store(JSON.stringify(entry));
      const given = await get([key]);
      expect(Object.keys(given), JSON.stringify(key)).to.deep.equal([key]);
      expect(Object.getOwnPropertyDescriptor(given, key)?.value).to.equal("v");
      if (key.length < 10) continue;
      await remove([key]);
    }
    expect(Object.keys(await get())).to.have.members(keys.filter((key) => key.length < 10));
    const before = Object.keys(Object.prototype);
    await remove(["__proto__"]);
    expect(Object.keys(Object.prototype)).to.deep.equal(before);
    expect(Object.keys(await get())).not.to.include("__proto__");
  });

  it("counts the code points of keys and values in the resulting storage", async () => {
    await store({ "😀": "😀".repeat(9) });
    expect(await sizes()).to.deep.equal({ counted: 10, stored: 10 });
    await store({ "😀": "e\u0301" });
    expect(await sizes()).to.deep.equal({ counted: 3, stored: 3 });
    // Of a repeated name the last value counts.
    await store('{"a":"first","\\u0061":"2"}');
    expect(await sizes()).to.deep.equal({ counted: 5, stored: 5 });
    expect(await get(["a"])).to.deep.equal({ a: "2" });
  });

  it("accepts exactly the limit and refuses a whole request with one character more", async () => {
    await store({ a: "😀".repeat(499), b: "x".repeat(499) });
    expect((await sizes()).counted).to.equal(limit);
    // An overwritten entry counts with its new size.
    await store({ a: "y".repeat(499) });
    const { msg } = await refused(scene.db, () => put({ c: "12345", d: "6" }), "BAD_REQUEST", {});
    expect(msg).to.match(/\b8 characters\b.*\b1000 characters\b/);
    await refused(scene.db, () => put({ a: "y".repeat(500) }), "BAD_REQUEST", {});
    await store({ a: "", c: "z".repeat(498) });
    expect((await sizes()).counted).to.equal(limit);
  });

  it("refuses parameters that are not an object of strings, and stores nothing", async () => {
    const bad = [
      "",
      "x",
      "null",
      "[]",
      '"a"',
      "5",
      "true",
      "{",
      "{}}",
      "{} x",
      '{"a"}',
      '{"a":}',
      '{"a":"1",}',
      '{,"a":"1"}',
      '{"a":"1" "b":"2"}',
      "{'a':'1'}",
      '{a:"1"}',
      '{"a":"1"',
      '{"a":"1',
      '{"a":"\n"}',
      '{"a":"\\x"}',
      '{"a":"\\u12"}',
      '{"a":"\\u12g4"}',
      '{"good":"1","a":1}',
      '{"good":"1","a":null}',
      '{"good":"1","a":true}',
      '{"good":"1","a":["1"]}',
      '{"good":"1","a":{"b":"1"}}',
      '{"good":"1","a":"\\u0000"}',
      '{"\\u0000":"1"}',
      '{"a":"\\ud800"}',
      '{"a":"\\udc00"}',
      '{"a":"\\ud800x"}',
      '{"a":"\\ud800\\ud800"}',
      '{"a":"\\ud83dä"}',
      "[".repeat(100_000),
      `{"a":${"[".repeat(100_000)}`,
    ];
    for (const storage of bad)
      await refused(scene.db, () => put(storage), "BAD_REQUEST", {}).catch((error: unknown) => {
        throw new Error(`${storage.slice(0, 40)}: ${String(error)}`);
      });
    const answer = () => gateway.as(own).call(updateBotStorage);
    await refused(scene.db, answer, "REQUEST_VARIABLE_MISSING", { var_name: "storage" });
  });

  it("accepts any valid spelling of JSON", async () => {
    await store(' { "a" : "\\u00e4\\/\\b\\f\\n\\r\\t\\"\\\\" ,\n"\\ud83d\\ude00":"" }\t');
    expect(await get()).to.deep.equal({ a: 'ä/\b\f\n\r\t"\\', "😀": "" });
  });

  it("refuses keys that are not a list of strings", async () => {
    await store({ a: "1" });
    for (const keys of [
      "",
      "a",
      "{}",
      '"a"',
      "[1]",
      "[null]",
      '["a",["b"]]',
      '["\\u0000"]',
      "null",
    ])
      for (const operation of [getBotStorage, deleteBotStorage])
        await refused(
          scene.db,
          () => gateway.as(own).call(operation, { params: { keys } }),
          "BAD_REQUEST",
          {},
        );
  });

  it("refuses people of every role before it looks at parameters", async () => {
    const { owner, admin, moderator, member, guest } = scene.org;
    for (const person of [owner, admin, moderator, member, guest])
      for (const operation of [updateBotStorage, getBotStorage, deleteBotStorage])
        await refused(
          scene.db,
          () => gateway.as(person).call(operation, { params: { storage: "x", keys: "x" } }),
          "PERMISSION_DENIED",
          {},
        );
    await deactivateUser(scene.db, own);
    for (const operation of [updateBotStorage, getBotStorage, deleteBotStorage])
      refusedWith(
        await gateway.as(own).call(operation, { params: { storage: {} } }),
        "UNAUTHORIZED",
      );
  });

  it("keeps a separate storage for each bot, within its organization", async () => {
    const other = await bot(scene.db, scene.org.member);
    await store({ a: "mine" });
    await store({ a: "theirs", b: "theirs" }, other);
    expect(await get()).to.deep.equal({ a: "mine" });
    await remove();
    expect(await get(undefined, other)).to.deep.equal({ a: "theirs", b: "theirs" });
  });

  it("keeps the limit under concurrent writes over two gateways", async () => {
    const second = await startGateway(scene.db, { botStorageLimit: limit });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 === 0 ? gateway : second).as(own).call(updateBotStorage, {
          params: {
            storage: { [`key-${n}-`.padEnd(10, "x")]: "v".repeat(190), shared: String(n) },
          },
        }),
      ),
    );
    await second.close();
    const stored = answers.filter(({ body }) => body.result === "success");
    const late = answers.filter(({ body }) => body.result === "error");
    expect(stored).to.have.length(4);
    for (const answer of late) refusedWith(answer, "BAD_REQUEST", {});
    const used = await sizes();
    expect(used.counted).to.equal(used.stored);
    expect(Object.keys(await get())).to.have.length(5);
  });

  it("writes no event, and runs the same number of statements for any number of entries", async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, "v"]));
    const one = await countQueries(scene.db, () => store({ k0: "v" }));
    const all = await countQueries(scene.db, () => store(many));
    expect(all.statements).to.deep.equal(one.statements);
    const readOne = await countQueries(scene.db, () => get(["k0"]));
    const readAll = await countQueries(scene.db, () => get(Object.keys(many)));
    expect(readAll.statements).to.deep.equal(readOne.statements);
    expect(await scene.db.rows("SELECT FROM event_log WHERE type = 'bot_storage'")).to.deep.equal(
      [],
    );
  });
});
