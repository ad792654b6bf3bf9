import { listDrafts, listSavedSnippets, register } from "@carillon/contract";
import { useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("Long lists of an account's own texts", () => {
  const scene = useScene();
  /** As many as an account may have; a page has 25. */
  const count = 300;
  before(async () => {
    const { db, org } = scene;
    await db.rows(
      `INSERT INTO drafts (user_id, kind, "to", topic, content, last_edit_time)
       SELECT $1, '', '{}', '', n || repeat('😀', 9990), now() FROM generate_series(1, $2::int) AS n`,
      [org.member.id, count],
    );
    await db.rows(
      `INSERT INTO saved_snippets (user_id, title, content, date_created)
       SELECT $1, 'number ' || n, n || repeat('é', 9990), now() FROM generate_series(1, $2::int) AS n`,
      [org.member.id, count],
    );
  });
  const numbers = (texts: ReadonlyArray<{ content: string }>) =>
    texts.map(({ content }) => Number.parseInt(content, 10));
  const all = Array.from({ length: count }, (_, n) => n + 1);

  it("are listed completely and in order", async () => {
    const client = scene.as(scene.org.member);
    const { count: received, drafts } = await client.succeed(listDrafts);
    expect(received).to.equal(count);
    expect(numbers(drafts)).to.deep.equal(all);
    const { saved_snippets: snippets } = await client.succeed(listSavedSnippets);
    expect(numbers(snippets)).to.deep.equal(all);
  });

  it("are in the snapshot as they are listed", async () => {
    const client = scene.as(scene.org.member);
    const { drafts } = await client.succeed(listDrafts);
    const { saved_snippets: snippets } = await client.succeed(listSavedSnippets);
    const snapshot: Record<string, unknown> = await client.succeed(register);
    expect(snapshot["drafts"]).to.deep.equal(drafts);
    expect(snapshot["saved_snippets"]).to.deep.equal(snippets);
  });
});
