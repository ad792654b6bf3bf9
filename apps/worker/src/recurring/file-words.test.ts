import { startTask } from "@carillon/scheduling";
import { silentLogger } from "@carillon/kit";
import { channel, pastMessages, useScene } from "@carillon/testkit";
import { mergePendingWords } from "@carillon/domain";
import { expect } from "chai";

import fileWordsTask from "./file-words.ts";

describe("the recurring work file-words", () => {
  const scene = useScene();

  it("empties the pending list that searches scan, and keeps all messages findable", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const found = () =>
      db.rows("SELECT id FROM messages WHERE search @@ 'soup'::tsquery ORDER BY id");
    await pastMessages(db, room, org.owner, { count: 100 });
    expect(await mergePendingWords(db), "pages of 100 messages").to.be.above(0);
    expect(await mergePendingWords(db)).to.equal(0);

    const ids = await pastMessages(db, room, org.owner, { count: 100 });
    const before = await found();
    expect(before.slice(-100)).to.deep.equal(ids.map((id) => ({ id })));
    const filing = startTask(fileWordsTask, { db, log: silentLogger });
    await filing.run();
    await filing.stop();
    expect(await mergePendingWords(db), "pages that are left").to.equal(0);
    expect(await found()).to.deep.equal(before);
  });
});
