import { addAlertWords, listAlertWords, removeAlertWords } from "@carillon/contract";
import {
  countQueries,
  eventsOf,
  organization,
  refused,
  refusedWith,
  startGateway,
  trickyTexts,
  user,
  useScene,
  watch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Alert words", () => {
  const scene = useScene();
  let own: TestAccount;
  beforeEach(async () => {
    own = await user(scene.db, scene.org.realm);
  });

  const add = async (alert_words: unknown, by = own) =>
    (await scene.as(by).succeed(addAlertWords, { params: { alert_words } })).alert_words;
  const remove = async (alert_words: unknown, by = own) =>
    (await scene.as(by).succeed(removeAlertWords, { params: { alert_words } })).alert_words;
  const list = async (by = own) => (await scene.as(by).succeed(listAlertWords)).alert_words;
  const numbered = (count: number, name = "word") =>
    Array.from({ length: count }, (_, n) => `${name} ${n}`);

  it("returns an empty list for an account without alert words", async () => {
    expect(await list()).to.deep.equal([]);
    expect(await add([])).to.deep.equal([]);
    expect(await add([" ", "", "\t\n"])).to.deep.equal([]);
    expect(await remove(["nothing"])).to.deep.equal([]);
  });

  it("stores one word for all spellings that alert alike, in any script", async () => {
    const words = [...trickyTexts, ...trickyTexts.map((text) => `${text} Σ`)];
    const spelled = words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]);
    const distinct = new Set(spelled.map((word) => word.toLowerCase()));
    expect((await add(spelled)).length).to.equal(distinct.size);
    // The same words again, added and removed in reverse order.
    expect((await add(spelled.toReversed())).length).to.equal(distinct.size);
    expect(await remove(spelled.toReversed())).to.deep.equal([]);
  });

  it("adds words in the given order and returns the full list", async () => {
    expect(await add(["soup", "  on call "])).to.deep.equal(["soup", "on call"]);
    expect(await add(["cake"])).to.deep.equal(["soup", "on call", "cake"]);
    expect(await list()).to.deep.equal(["soup", "on call", "cake"]);
    const { result, msg, ...more } = await scene.as(own).succeed(addAlertWords, {
      params: { alert_words: [] },
    });
    expect([result, msg, Object.keys(more)]).to.deep.equal(["success", "", ["alert_words"]]);
  });

  it("keeps the stored spelling when a word is added again in another case", async () => {
    await add(["Über", "İstanbul", "ΟΔΟΣ"]);
    expect(await add(["über", "ÜBER", "i\u0307stanbul", "οδος", " Über "])).to.deep.equal([
      "Über",
      "İstanbul",
      "ΟΔΟΣ",
    ]);
    expect(await add(["Straße", "STRASSE"])).to.have.length(5);
  });

  it("stores the last of several spellings in one request", async () => {
    expect(await add(["soup", "SOUP", "cake", " Soup"])).to.have.members(["Soup", "cake"]);
  });

  it("accepts 100 characters at most, counted before trimming", async () => {
    const longest = "😀".repeat(100);
    expect(await add([longest])).to.deep.equal([longest]);
    for (const bad of ["x".repeat(101), "😀".repeat(101), ` ${"y".repeat(100)}`, " ".repeat(101)]) {
      const ask = () =>
        scene.as(own).call(addAlertWords, { params: { alert_words: ["good", bad] } });
      await refused(scene.db, ask, "BAD_REQUEST", {});
    }
  });

  it("removes words regardless of case and surrounding spaces, and ignores unknown words", async () => {
    await add(["Soup", "on call", "cake"]);
    expect(await remove([" SOUP ", "unknown", "On Call", "x".repeat(500)])).to.deep.equal(["cake"]);
    expect(await remove([])).to.deep.equal(["cake"]);
    expect(await list()).to.deep.equal(["cake"]);
  });

  it("accepts any text as an alert word", async () => {
    const words = [
      ".*",
      "[a",
      "$1",
      "\\",
      "'; --",
      "<b>",
      "@**all**",
      "👨‍👩‍👧",
      "e\u0301",
      "é",
      "%_",
      "x\u2028y",
    ];
    expect(await add(words)).to.deep.equal(words);
    expect(await remove([".*", "%"])).to.deep.equal(words.slice(1));
  });

  it("refuses parameters that are not a list of strings", async () => {
    for (const operation of [addAlertWords, removeAlertWords]) {
      for (const alert_words of [
        "",
        "soup",
        "{}",
        '"soup"',
        "[1]",
        "[null]",
        '["a",["b"]]',
        "null",
        '["\\u0000"]',
        '["\\ud800"]',
      ])
        await refused(
          scene.db,
          () => scene.as(own).call(operation, { params: { alert_words } }),
          "BAD_REQUEST",
          {},
        );
      const ask = () => scene.as(own).call(operation);
      await refused(scene.db, ask, "REQUEST_VARIABLE_MISSING", { var_name: "alert_words" });
    }
  });

  it("keeps a separate list for each account, including bots and guests", async () => {
    const { bot, guest, owner } = scene.org;
    await add(["mine"]);
    await add(["mine", "theirs"], guest);
    await add(["robot"], bot);
    expect([await list(), await list(guest), await list(bot), await list(owner)]).to.deep.equal([
      ["mine"],
      ["mine", "theirs"],
      ["robot"],
      [],
    ]);
    await remove(["mine"]);
    expect(await list(guest)).to.deep.equal(["mine", "theirs"]);
  });

  it("sends the full list to the account alone after every change", async () => {
    const other = { account: scene.org.owner };
    const elsewhere = { account: (await organization(scene.db)).owner };
    const received = await watch(
      scene.gateway,
      { own: { account: own }, other, elsewhere },
      async () => {
        await add(["soup"]);
        await add(["SOUP"]);
        await add(["cake", "tea"]);
        await remove(["soup"]);
        await remove(["unknown"]);
      },
    );
    expect(received.own.map(({ type, op, alert_words }) => [type, op, alert_words])).to.deep.equal([
      ["alert_words", undefined, ["soup"]],
      ["alert_words", undefined, ["soup"]],
      ["alert_words", undefined, ["soup", "cake", "tea"]],
      ["alert_words", undefined, ["cake", "tea"]],
      ["alert_words", undefined, ["cake", "tea"]],
    ]);
    expect([received.other, received.elsewhere]).to.deep.equal([[], []]);
    const registered = await scene
      .as(own)
      .post("/api/v1/register", { fetch_event_types: ["alert_words"] });
    expect(registered.body["alert_words"]).to.deep.equal(["cake", "tea"]);
  });

  it("stores a word once when two gateways add it at once, and sends events in the order of the changes", async () => {
    const second = await startGateway(scene.db);
    const { events } = await eventsOf(scene.db, scene.org.realm.id, () =>
      Promise.all(
        numbered(10).map((word, n) =>
          (n % 2 ? second : scene.gateway)
            .as(own)
            .succeed(addAlertWords, { params: { alert_words: ["shared", word] } }),
        ),
      ),
    );
    await second.close();
    const words = await list();
    expect(words).to.have.members(["shared", ...numbered(10)]);
    const lists = events.map(({ payload }) => payload["alert_words"] as string[]);
    expect(lists.map(({ length }) => length)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(lists.at(-1)).to.deep.equal(words);
  });

  it("stores at most 10,000 words, also when two requests add the last one", async () => {
    expect(await add(numbered(9_999))).to.have.length(9_999);
    const call = (alert_words: readonly string[]) =>
      scene.as(own).call(addAlertWords, { params: { alert_words } });
    const { msg } = await refused(scene.db, () => call(["a", "b"]), "BAD_REQUEST", {});
    expect(msg).to.include("10000");
    const answers = await Promise.all([call(["a"]), call(["b"])]);
    const late = answers.filter(({ body }) => body.result === "error");
    expect(late).to.have.length(1);
    for (const answer of late) refusedWith(answer, "BAD_REQUEST", {});
    expect(await list()).to.have.length(10_000);
    await refused(scene.db, () => call(numbered(10_001, "other")), "BAD_REQUEST", {});
    expect(await remove(numbered(10_000))).to.have.length(1);
  });

  it("runs the same number of statements for any number of words", async () => {
    const one = await countQueries(scene.db, () => add(["one"]));
    const many = await countQueries(scene.db, () => add(numbered(500)));
    expect(many.statements).to.deep.equal(one.statements);
    const few = await countQueries(scene.db, () => remove(["one"]));
    const all = await countQueries(scene.db, () => remove(numbered(500)));
    expect(all.statements).to.deep.equal(few.statements);
  });
});
