import {
  addNavigationView,
  listNavigationViews,
  removeNavigationView,
  updateNavigationView,
} from "@carillon/contract";
import {
  countQueries,
  kindsOf,
  organization,
  refused,
  refusedWith,
  startGateway,
  user,
  useScene,
  watch,
  type Params,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

const base = "/api/v1/navigation_views";
const builtIn = [
  "inbox",
  "recent",
  "feed",
  "drafts",
  "narrow/has/reaction/sender/me",
  "narrow/is/mentioned",
  "narrow/is/starred",
  "scheduled",
  "reminders",
];

describe("Navigation views", () => {
  const scene = useScene();
  let own: TestAccount;
  beforeEach(async () => {
    own = await user(scene.db, scene.org.realm);
  });

  const add = (params: Params, by = own) =>
    scene.as(by).succeed(addNavigationView, { params: { is_pinned: true, ...params } });
  const list = async (by = own) =>
    (await scene.as(by).succeed(listNavigationViews)).navigation_views;
  const addRefused = (params: Params) =>
    refused(
      scene.db,
      () => scene.as(own).call(addNavigationView, { params: { is_pinned: true, ...params } }),
      "BAD_REQUEST",
      {},
    );
  const updateRefused = (fragment: string, params: Params, status = 400) =>
    refused(
      scene.db,
      () => scene.as(own).call(updateNavigationView, { path: { fragment }, params }),
      "BAD_REQUEST",
      {},
      status,
    );

  it("return an empty list at first, without the built-in views", async () => {
    expect(await list()).to.deep.equal([]);
  });

  it("are added with trimmed names and listed in order", async () => {
    const { result, msg, ...more } = await add({
      fragment: " narrow/is/alerted\n",
      name: " Alerts ",
    });
    expect([result, msg, more]).to.deep.equal(["success", "", {}]);
    await add({ fragment: "inbox", is_pinned: false });
    expect(await list()).to.deep.equal([
      { fragment: "narrow/is/alerted", is_pinned: true, name: "Alerts" },
      { fragment: "inbox", is_pinned: false, name: null },
    ]);
  });

  it("take no name for built-in views and require one for others", async () => {
    for (const fragment of builtIn) {
      await addRefused({ fragment, name: "x" });
      await add({ fragment });
      await updateRefused(fragment, { name: "x" });
    }
    for (const fragment of ["Inbox", "narrow/is/mentioned/", "narrow/is/alerted", "toString"])
      await addRefused({ fragment });
    expect((await list()).map(({ fragment }) => fragment)).to.deep.equal(builtIn);
  });

  it("refuse missing, blank, too long and non-boolean values", async () => {
    const ask = (params: Params) => () => scene.as(own).call(addNavigationView, { params });
    await refused(scene.db, ask({ is_pinned: true }), "REQUEST_VARIABLE_MISSING", {
      var_name: "fragment",
    });
    await refused(scene.db, ask({ fragment: "a", name: "a" }), "REQUEST_VARIABLE_MISSING", {
      var_name: "is_pinned",
    });
    await addRefused({ fragment: " " });
    await addRefused({ fragment: "a", name: "\t" });
    await addRefused({ fragment: "inbox", name: "" });
    await addRefused({ fragment: "f".repeat(501), name: "a" });
    await addRefused({ fragment: "a", name: "n".repeat(501) });
    await addRefused({ fragment: "a\0b", name: "a" });
    for (const is_pinned of ["True", "1", "yes", '"true"', "", "null"])
      await addRefused({ fragment: "a", name: "a", is_pinned });
    await add({ fragment: "😀".repeat(500), name: "😀".repeat(500) });
  });

  it("are unique by fragment and by name, case-sensitively", async () => {
    await add({ fragment: "a", name: "one" });
    await addRefused({ fragment: "a", name: "two" });
    await addRefused({ fragment: "b", name: "one" });
    await add({ fragment: "A", name: "One" });
    await add({ fragment: "inbox" });
    await addRefused({ fragment: "inbox", is_pinned: false });
    expect(await list()).to.have.length(3);
  });

  it("update only the given fields", async () => {
    await add({ fragment: "a", name: "one" });
    await add({ fragment: "inbox" });
    const update = (fragment: string, params: Params) =>
      scene.as(own).succeed(updateNavigationView, { path: { fragment }, params });
    const { result, msg, ...more } = await update("a", { is_pinned: false });
    expect([result, msg, more]).to.deep.equal(["success", "", {}]);
    await update("a", { name: " two " });
    await update("inbox", { is_pinned: false });
    await update("a", {});
    expect(await list()).to.deep.equal([
      { fragment: "a", is_pinned: false, name: "two" },
      { fragment: "inbox", is_pinned: false, name: null },
    ]);
    await updateRefused("a", { name: "two" });
    await updateRefused("a", { name: " " });
    await updateRefused("a", { is_pinned: "no" });
    await add({ fragment: "b", name: "three" });
    await updateRefused("b", { name: "two" });
  });

  it("answer 404 for a fragment that does not exist", async () => {
    const other = scene.org.member;
    await add({ fragment: "theirs", name: "theirs" }, other);
    await add({ fragment: "narrow/is/alerted", name: "mine" });
    const missing = [
      "unknown",
      "theirs",
      "inbox",
      "narrow/is/Alerted",
      "narrow/is/alerted/",
      "narrow",
      "narrow//is/alerted",
    ];
    for (const fragment of missing) {
      await updateRefused(fragment, { is_pinned: true }, 404);
      const ask = () => scene.as(own).call(removeNavigationView, { path: { fragment } });
      await refused(scene.db, ask, "BAD_REQUEST", {}, 404);
    }
    // The name is checked first.
    await updateRefused("unknown", { name: "mine" });
    await updateRefused("inbox", { name: "x" });
    expect(await list(other)).to.deep.equal([
      { fragment: "theirs", is_pinned: true, name: "theirs" },
    ]);
  });

  it("accept slashes in the path, escaped or not, and decode it once", async () => {
    const ways: ReadonlyArray<readonly [stored: string, path: string]> = [
      ["narrow/is/alerted", "narrow/is/alerted"],
      ["narrow/is/alerted", "narrow%2Fis%2Falerted"],
      ["narrow/is/alerted", "narrow/is%2falerted"],
      ["a%2Fb", "a%252Fb"],
      ["a%b", "a%25b"],
      ["a b+c", "a%20b+c"],
      ["ä😀", encodeURIComponent("ä😀")],
      ["a//b", "a//b"],
      ["/a/", "%2Fa/"],
      ["a?b#c", "a%3Fb%23c"],
      ["..", "%2E%2E"],
      ["%zz", "%zz"],
    ];
    for (const [fragment, path] of ways) {
      await add({ fragment, name: "x" });
      const patched = await scene.as(own).send("PATCH", `${base}/${path}?is_pinned=false`);
      expect(patched.status, `PATCH ${path}`).to.equal(path.includes("%2E") ? 404 : 200);
      const removed = await scene.as(own).send("DELETE", `${base}/${path}`);
      if (path.includes("%2E")) await scene.db.rows("DELETE FROM navigation_views");
      else expect(removed.status, `DELETE ${path}`).to.equal(200);
      expect(await list()).to.deep.equal([]);
    }
    await add({ fragment: "a/b", name: "x" });
    const sent = (method: string, path: string) => () => scene.as(own).send(method, base + path);
    for (const path of ["/a%252Fb", "/%"])
      await refused(scene.db, sent("DELETE", path), "BAD_REQUEST", {}, 404);
    await refused(scene.db, sent("DELETE", "/a%00b"), "NOT_FOUND", {});
    for (const method of ["PATCH", "DELETE"])
      await refused(scene.db, sent(method, ""), "METHOD_NOT_ALLOWED", undefined, 405);
    expect(await list()).to.have.length(1);
  });

  it("are deleted, and built-in views can be added again", async () => {
    await add({ fragment: "inbox" });
    const path = { fragment: "inbox" };
    const { result, msg, ...more } = await scene.as(own).succeed(removeNavigationView, { path });
    expect([result, msg, more]).to.deep.equal(["success", "", {}]);
    refusedWith(await scene.as(own).call(removeNavigationView, { path }), "BAD_REQUEST", {}, 404);
    await add({ fragment: "inbox", is_pinned: false });
    expect(await list()).to.deep.equal([{ fragment: "inbox", is_pinned: false, name: null }]);
  });

  it("are sent to the account alone, and are in its snapshot", async () => {
    const { owner } = scene.org;
    const elsewhere = (await organization(scene.db)).owner;
    const queues = {
      own: { account: own },
      other: { account: owner },
      elsewhere: { account: elsewhere },
    };
    const received = await watch(scene.gateway, queues, async () => {
      await add({ fragment: "a/b", name: "one" });
      const path = { fragment: "a/b" };
      await scene.as(own).succeed(updateNavigationView, { path, params: { name: "two" } });
      await scene.as(own).succeed(updateNavigationView, { path, params: { is_pinned: false } });
      await scene.as(own).succeed(updateNavigationView, { path });
      const registered = await scene.as(own).post("/api/v1/register", {
        fetch_event_types: ["navigation_views"],
      });
      expect(registered.body["navigation_views"]).to.deep.equal([
        { fragment: "a/b", is_pinned: false, name: "two" },
      ]);
      await scene.as(own).succeed(removeNavigationView, { path });
    });
    expect(kindsOf(received.own)).to.deep.equal([
      "navigation_view/add",
      "navigation_view/update",
      "navigation_view/update",
      "navigation_view/remove",
    ]);
    const [added, named, pinned, removed] = received.own;
    expect(added?.["navigation_view"]).to.deep.equal({
      fragment: "a/b",
      is_pinned: true,
      name: "one",
    });
    expect(named).to.deep.include({ fragment: "a/b", data: { name: "two" } });
    expect(pinned).to.deep.include({ fragment: "a/b", data: { is_pinned: false } });
    expect(removed).to.deep.include({ fragment: "a/b" });
    expect([received.other, received.elsewhere]).to.deep.equal([[], []]);
  });

  it("allow bots and guests", async () => {
    for (const by of [scene.org.bot, scene.org.guest]) {
      await add({ fragment: "a", name: "one" }, by);
      expect(await list(by)).to.have.length(1);
    }
  });

  it("are stored once when two gateways add or rename them at once", async () => {
    const second = await startGateway(scene.db);
    const at = (n: number) => (n % 2 ? second : scene.gateway).as(own);
    const same = await Promise.all(
      [0, 1, 2, 3].map((n) =>
        at(n).call(addNavigationView, {
          params: { fragment: "a", is_pinned: true, name: `n${n}` },
        }),
      ),
    );
    expect(same.filter(({ status }) => status === 200)).to.have.length(1);
    await add({ fragment: "b", name: "b" });
    const named = await Promise.all(
      ["a", "b"].map((fragment, n) =>
        at(n).call(updateNavigationView, { path: { fragment }, params: { name: "new" } }),
      ),
    );
    for (const answers of [same, named])
      for (const answer of answers)
        if (answer.status !== 200) refusedWith(answer, "BAD_REQUEST", {});
    expect(named.filter(({ status }) => status === 200)).to.have.length(1);
    const gone = await Promise.all(
      [0, 1].map((n) => at(n).call(removeNavigationView, { path: { fragment: "a" } })),
    );
    expect(gone.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 404]);
    await second.close();
  });

  it("are limited to 1000, and take the same number of statements for any number", async () => {
    await add({ fragment: "a", name: "a" });
    const few = await countQueries(scene.db, () => list());
    await scene.db.rows(
      `INSERT INTO navigation_views (user_id, fragment, is_pinned, name)
       SELECT $1, 'f' || n, true, 'n' || n FROM generate_series(1, 999) AS n`,
      [own.id],
    );
    const many = await countQueries(scene.db, () => list());
    expect(many.result).to.have.length(1_000);
    expect(many.statements).to.deep.equal(few.statements);
    const { msg } = await addRefused({ fragment: "b", name: "b" });
    expect(msg).to.include("1000");
  });
});
