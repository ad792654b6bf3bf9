import { randomBytes } from "node:crypto";
import { addToCounter } from "@carillon/scheduling";
import { organization, type TestOrganization } from "@carillon/testkit";
import { expect } from "chai";

import { useDashboard } from "../test-support.ts";
import type { StorageView } from "../pages/storage.ts";

describe("the dashboard's storage", () => {
  const dashboard = useDashboard("postgres", { quota: 1_000 });
  let large: TestOrganization;
  let small: TestOrganization;

  before(async () => {
    const { db } = dashboard();
    [large, small] = [await organization(db), await organization(db)];
    for (const [org, sizes] of [
      [small, [30]],
      [large, [200, 50]],
    ] as const)
      for (const size of sizes) {
        const key = randomBytes(13).toString("hex");
        await db.rows(
          `INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
           VALUES ($1, $2, $3, $4, 'f', 'text/plain', $5, '\\x00')`,
          [org.realm.id, org.member.id, `${org.realm.id}/ab/${key}/f`, key, size],
        );
        await db.rows(
          `INSERT INTO realm_storage VALUES ($1, $2)
           ON CONFLICT (realm_id) DO UPDATE SET bytes_used = realm_storage.bytes_used + $2`,
          [org.realm.id, size],
        );
      }
    await db.rows(
      `INSERT INTO stored_objects VALUES ('used', NULL), ('waiting', now() + interval '5 hours'),
        ('due', now()), ('claimed', '-infinity'), ('overdue', now() - interval '2 hours')`,
    );
    await addToCounter(db, "unclaimed_files", 4_000);
    await addToCounter(db, "deleted_objects", 7);
  });

  it("shows what each organization uses of its quota, the largest first", async () => {
    const shown = (await dashboard().json("/storage")) as StorageView;
    expect(shown.quota).to.equal(1_000);
    const found = shown.organizations.filter(({ realmId }) =>
      [large.realm.id, small.realm.id].includes(realmId),
    );
    expect(found.map(({ realmId, bytes, files }) => [realmId, bytes, files])).to.deep.equal([
      [large.realm.id, 250, 2],
      [small.realm.id, 30, 1],
    ]);
    expect(await (await dashboard().ask("/storage")).text())
      .to.contain("25 %")
      .and.contain("250 bytes");
  });

  it("shows what recurring work has deleted, and what waits for it", async () => {
    const shown = (await dashboard().json("/storage")) as StorageView;
    expect(shown).to.include({ unclaimedFiles: 4_000, deletedObjects: 7 });
    expect(shown.figures).to.deep.equal({ files: 3, bytes: 280, waiting: 3, overdue: 1 });
    expect(await (await dashboard().ask("/storage")).text()).to.contain("4,000");
  });

  it("does not count the files again for each view", async () => {
    const { db } = dashboard();
    const filesOf = async () => {
      const { organizations } = (await dashboard().json("/storage")) as StorageView;
      return organizations.find(({ realmId }) => realmId === small.realm.id)?.files;
    };
    expect(await filesOf()).to.equal(1);
    const key = randomBytes(13).toString("hex");
    await db.rows(
      `INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
       VALUES ($1, $2, $3, $4, 'f', 'text/plain', 0, '\\x00')`,
      [small.realm.id, small.member.id, `${small.realm.id}/ab/${key}/f`, key],
    );
    expect(await filesOf()).to.equal(1);
    await db.rows("DELETE FROM attachments WHERE object_key = $1", [key]);
  });

  it("exports the figures as metrics", async () => {
    const text = await (await dashboard().ask("/metrics")).text();
    for (const line of [
      "carillon_stored_files 3",
      "carillon_stored_bytes 280",
      'carillon_objects_unused{state="waiting"} 3',
      'carillon_objects_unused{state="overdue"} 1',
      "carillon_unclaimed_files_total 4000",
      "carillon_objects_deleted_total 7",
    ])
      expect(text).to.match(new RegExp(`^${line.replaceAll(/[{}]/g, "\\$&")}$`, "m"));
  });
});
