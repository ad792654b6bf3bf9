import { getMessage, getMessageHistory, getMessages } from "@carillon/contract";
import { channel, useScene, type TestChannel } from "@carillon/testkit";
import { expect } from "chai";

import { change } from "../../test-support/changing-messages.ts";
import { post, term } from "../../test-support/reading-messages.ts";

const [maxEntries, maxCharacters] = [1_000, 100_000];

describe("The edit history of a message with very many changes", () => {
  const scene = useScene();
  let room: TestChannel;
  let id: number;

  beforeEach(async () => {
    const { db, org, gateway } = scene;
    room = await channel(db, org.realm, { subscribers: [org.member] });
    id = await post(gateway, org.member, room, "lunch", "first");
  });

  const path = () => ({ message_id: id });
  const edit = (content: string) => change(scene, scene.org.member, id, { content });
  const move = (topic: string) => change(scene, scene.org.member, id, { topic });
  const history = async () => {
    const { message } = await scene.as(scene.org.member).succeed(getMessage, { path: path() });
    return message.edit_history ?? [];
  };
  /** A history as many earlier requests would leave it, newest first. */
  const changedBefore = (count: number, entry: object) =>
    scene.db.rows(
      `UPDATE messages SET edit_history = (SELECT jsonb_agg($2::jsonb || jsonb_build_object('timestamp', $3 - n))
       FROM generate_series(1, $3::int) AS n) WHERE id = $1`,
      [id, JSON.stringify({ user_id: scene.org.member.id, ...entry }), count],
    );

  it("keeps the newest texts up to 100,000 characters with their HTML", async () => {
    const { org } = scene;
    const text = (n: number) => `${n} ${"x".repeat(9_990)}`.slice(0, 9_990);
    for (let n = 1; n <= 12; n++) await edit(text(n));
    const kept = await history();
    expect(kept.map(({ prev_content }) => prev_content)).to.deep.equal([11, 10, 9, 8, 7].map(text));
    const narrow = [term("channel", room.id)];
    const params = { anchor: "newest", num_before: 1, num_after: 0, narrow };
    const body = await scene.as(org.member).succeed(getMessages, { params });
    expect(JSON.stringify(body).length).to.be.below(maxCharacters + 25_000);
    const { message_history } = await scene
      .as(org.member)
      .succeed(getMessageHistory, { path: path() });
    expect(message_history.map(({ content }) => content)).to.deep.equal(
      [7, 8, 9, 10, 11, 12].map(text),
    );
    // A short text displaces a long one, too.
    for (const content of ["y".repeat(200), "z"]) await edit(content);
    const lengths = (await history()).map(({ prev_content = "" }) => prev_content.length);
    expect(lengths).to.deep.equal([200, 9_990, 9_990, 9_990, 9_990]);
  });

  it("keeps the newest text at any length", async () => {
    await scene.db.rows(
      "UPDATE messages SET rendered_content = repeat('x', 900000) WHERE id = $1",
      [id],
    );
    await edit("second");
    await edit("third");
    expect((await history()).map(({ prev_content }) => prev_content)).to.deep.equal(["second"]);
  });

  it("limits the number of edits", async () => {
    await changedBefore(maxEntries - 1, { prev_content: "a", prev_rendered_content: "<p>a</p>" });
    for (let n = 0; n < 3; n++) await edit(`${n}`);
    const kept = await history();
    expect(kept).to.have.length(maxEntries);
    expect(kept.slice(0, 4).map(({ prev_content }) => prev_content)).to.deep.equal([
      "1",
      "0",
      "first",
      "a",
    ]);
    expect(kept.at(-1)).to.include({ timestamp: 2 });
  });

  it("limits the number of moves, for each message moved together", async () => {
    const other = await post(scene.gateway, scene.org.member, room, "lunch", "other");
    await changedBefore(maxEntries - 1, { prev_topic: "dinner", topic: "lunch" });
    const { member } = scene.org;
    for (let n = 0; n < 3; n++)
      await change(scene, member, id, { topic: `lunch ${n}`, propagate_mode: "change_all" });
    const kept = await history();
    expect(kept).to.have.length(maxEntries);
    expect(kept[2]).to.include({ prev_topic: "lunch", topic: "lunch 0" });
    const { message } = await scene.as(member).succeed(getMessage, { path: { message_id: other } });
    expect(message.edit_history).to.have.length(3);
    await move("lunch");
    await edit("second");
    expect((await history())[0]).to.include({ prev_content: "first" });
    expect(await history()).to.have.length(maxEntries);
  });

  it("has one entry for a move together with an edit, and keeps the earlier entries", async () => {
    await changedBefore(5, { prev_topic: "dinner", topic: "lunch" });
    await change(scene, scene.org.member, id, { topic: "rain", content: "second" });
    const kept = await history();
    expect(kept).to.have.length(6);
    expect(kept[0]).to.include({ prev_topic: "lunch", topic: "rain", prev_content: "first" });
  });
});
