import {
  createSavedSnippet,
  deleteSavedSnippet,
  listSavedSnippets,
  updateSavedSnippet,
} from "@carillon/contract";
import {
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

describe("Saved snippets", () => {
  const scene = useScene();
  let own: TestAccount;
  beforeEach(async () => {
    own = await user(scene.db, scene.org.realm);
  });

  const create = async (params: Params, by = own) =>
    (await scene.as(by).succeed(createSavedSnippet, { params })).saved_snippet_id;
  const update = (id: number, params: Params, by = own) =>
    scene.as(by).call(updateSavedSnippet, { path: { saved_snippet_id: id }, params });
  const remove = (id: number, by = own) =>
    scene.as(by).call(deleteSavedSnippet, { path: { saved_snippet_id: id } });
  const list = async (by = own) => (await scene.as(by).succeed(listSavedSnippets)).saved_snippets;

  it("are created with trimmed values and listed in order", async () => {
    expect(await list()).to.deep.equal([]);
    const first = await create({ title: " Greeting ", content: "\nGood morning \n" });
    const second = await create({ title: "Greeting", content: "Good morning" });
    const now = Date.now() / 1_000;
    const listed = await list();
    for (const { date_created } of listed) expect(date_created).to.be.closeTo(now, 600);
    expect(listed.map(({ id }) => id)).to.deep.equal([first, second]);
    for (const snippet of listed)
      expect(snippet).to.include({ title: "Greeting", content: "Good morning" });
  });

  it("accept titles of up to sixty characters and content of a message's length", async () => {
    const longest = { title: "😀".repeat(60), content: "😀".repeat(10_000) };
    const id = await create(longest);
    expect((await list())[0]).to.deep.include(longest);
    const bad: Params[] = [
      { title: "", content: "x" },
      { title: " ", content: "x" },
      { title: "x", content: " \n" },
      { title: "x".repeat(61), content: "x" },
      { title: "x", content: "x".repeat(10_001) },
      { title: "a\0b", content: "x" },
      { title: "x", content: "a\0b" },
    ];
    for (const params of bad) {
      const ask = () => scene.as(own).call(createSavedSnippet, { params });
      await refused(scene.db, ask, "BAD_REQUEST", {});
      await refused(scene.db, () => update(id, params), "BAD_REQUEST", {});
    }
    for (const [params, var_name] of [
      [{ content: "x" }, "title"],
      [{ title: "x" }, "content"],
    ] as const) {
      const ask = () => scene.as(own).call(createSavedSnippet, { params });
      await refused(scene.db, ask, "REQUEST_VARIABLE_MISSING", { var_name });
    }
  });

  it("update only the given fields", async () => {
    const id = await create({ title: "one", content: "first" });
    for (const params of [{ title: " two " }, { content: " second " }, {}])
      expect((await update(id, params)).status).to.equal(200);
    expect((await list())[0]).to.deep.include({ id, title: "two", content: "second" });
  });

  it("of other accounts answer 404", async () => {
    const { member, bot, guest } = scene.org;
    const theirs = await create({ title: "t", content: "c" }, member);
    for (const id of [theirs, 0, 2_000_000_000, 99_999_999_999_999]) {
      await refused(scene.db, () => update(id, { title: "x" }), "BAD_REQUEST", {}, 404);
      await refused(scene.db, () => update(id, {}), "BAD_REQUEST", {}, 404);
      await refused(scene.db, () => remove(id), "BAD_REQUEST", {}, 404);
    }
    expect((await list(member))[0]).to.deep.include({ title: "t" });
    for (const by of [bot, guest]) {
      const id = await create({ title: "t", content: "c" }, by);
      expect((await remove(id, by)).status).to.equal(200);
    }
  });

  it("are sent to the account alone, and are in its snapshot", async () => {
    const { owner } = scene.org;
    const elsewhere = (await organization(scene.db)).owner;
    const queues = {
      own: { account: own },
      other: { account: owner },
      elsewhere: { account: elsewhere },
    };
    let id = 0;
    const received = await watch(scene.gateway, queues, async () => {
      id = await create({ title: "one", content: "first" });
      await update(id, { title: "two" });
      await update(id, {});
      const registered = await scene
        .as(own)
        .post("/api/v1/register", { fetch_event_types: ["saved_snippets"] });
      expect(registered.body["saved_snippets"]).to.deep.equal(await list());
      await remove(id);
    });
    expect(kindsOf(received.own)).to.deep.equal([
      "saved_snippets/add",
      "saved_snippets/update",
      "saved_snippets/remove",
    ]);
    const [added, updated, removed] = received.own;
    expect(added?.["saved_snippet"]).to.deep.include({ id, title: "one", content: "first" });
    expect(updated?.["saved_snippet"]).to.deep.include({ id, title: "two", content: "first" });
    expect(removed?.["saved_snippet_id"]).to.equal(id);
    expect([received.other, received.elsewhere]).to.deep.equal([[], []]);
  });

  it("are limited to 1000, also when two gateways create the last one", async () => {
    await scene.db.rows(
      `INSERT INTO saved_snippets (user_id, title, content) SELECT $1, 't', 'c' FROM generate_series(1, 999)`,
      [own.id],
    );
    const second = await startGateway(scene.db);
    const answers = await Promise.all(
      [second, scene.gateway].map((gateway) =>
        gateway.as(own).call(createSavedSnippet, { params: { title: "t", content: "c" } }),
      ),
    );
    await second.close();
    const late = answers.filter(({ status }) => status !== 200);
    expect(late).to.have.length(1);
    for (const answer of late) {
      refusedWith(answer, "BAD_REQUEST", {});
      expect(answer.body.msg).to.include("1000");
    }
    expect(await list()).to.have.length(1_000);
  });
});
