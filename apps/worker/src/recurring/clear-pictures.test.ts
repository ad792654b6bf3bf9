import { requestPictures } from "@carillon/domain";
import { startTask } from "@carillon/scheduling";
import { captureLog, useScene } from "@carillon/testkit";
import { expect } from "chai";

import clearPictures from "./clear-pictures.ts";

describe("Recurring work on pictures", () => {
  const scene = useScene();

  const run = async () => {
    const { log, lines } = captureLog();
    const started = startTask(clearPictures, { db: scene.db, log });
    await started.run();
    await started.stop();
    expect(lines.filter(({ level }) => level > 30)).to.deep.equal([]);
  };

  it("deletes pictures 30 days after they were replaced, and their objects a day later", async () => {
    const { db, org } = scene;
    await db.rows(
      `WITH keys AS (SELECT n, lpad(translate(n::text, '0189', 'bcde'), 26, 'g') AS key FROM generate_series(1, 1200) n),
        objects AS (INSERT INTO stored_objects (key) SELECT key FROM keys)
      INSERT INTO pictures (path, realm_id, object_key, content_type, size, sha256, replaced_at)
      SELECT $1::int || '/' || n, $1, key, 'image/png', 1, '',
        CASE WHEN n <= 1100 THEN now() - interval '31 days' WHEN n <= 1150 THEN now() - interval '29 days' END FROM keys`,
      [org.realm.id],
    );
    await run();
    expect(await db.prisma.picture.count()).to.equal(100);
    const [released] = await db.rows<{ count: number }>(
      `SELECT count(*)::int FROM stored_objects
      WHERE delete_after BETWEEN now() + interval '23 hours' AND now() + interval '25 hours'`,
    );
    expect(released?.count).to.equal(1_100);
  });

  it("deletes requests that no gateway has ended", async () => {
    const { db, org } = scene;
    const ids = [];
    for (const key of ["a", "b"])
      ids.push(
        await db.transaction((tx) => requestPictures(tx, org.realm.id, "avatar", key.repeat(26))),
      );
    await db.rows(
      "UPDATE picture_requests SET created_at = now() - interval '61 minutes' WHERE id = $1",
      [ids[0]],
    );
    await run();
    const left = await db.prisma.pictureRequest.findMany();
    expect(left.map(({ id }) => id)).to.deep.equal([ids[1]]);
  });
});
