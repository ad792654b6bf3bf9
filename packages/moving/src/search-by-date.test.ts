import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@carillon/db";
import {
  channel,
  organization,
  pastMessages,
  testFiles,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  testSite,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

import { exportOrganization } from "./export-organization.ts";
import { importOrganization } from "./import-organization.ts";
import { newTransferKey, transferKeyOf } from "./transfer-key.ts";

/** Messages of a year, one each day. */
const days = 300;

describe("a search by date after an import", () => {
  const source = useDatabase();
  const db = useDatabase();
  const gateway = useGateway(db);
  const site = testSite();
  const key = transferKeyOf(newTransferKey());
  let folder: string;
  let imported: TestOrganization;
  let older: TestOrganization;
  let realmId: number;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-dates-"));
    imported = await organization(source, { subdomain: "imported" });
    const moved = await channel(source, imported.realm, { subscribers: [imported.member] });
    await writeYear(source, moved, imported.member, 2020);
    await exportOrganization({
      databaseUrl: source.url,
      realmId: imported.realm.id,
      folder,
      url: "http://imported.carillon.test",
      secrets: site.secrets,
      openKey: () => key,
      files: testFiles(),
    });
    older = await organization(db, { subdomain: "older" });
    const room = await channel(db, older.realm, { subscribers: [older.member] });
    await writeYear(db, room, older.member, 2021);
    ({ realmId } = await importOrganization({
      databaseUrl: db.url,
      db,
      site,
      folder,
      subdomain: undefined,
      key,
      files: testFiles(),
    }));
    await writeYear(db, room, older.member, 2022);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function writeYear(
    of: Database,
    room: TestChannel,
    sender: TestAccount,
    year: number,
  ): Promise<void> {
    const ids = await pastMessages(of, room, sender, { count: days });
    await of.rows(
      `UPDATE messages SET sent_at = make_timestamptz($2, 1, 1, 12, 0, 0, 'UTC') + n * interval '1 day'
       FROM unnest($1::bigint[]) WITH ORDINALITY AS m (message_id, n) WHERE id = message_id`,
      [ids, year],
    );
  }

  /** Returns the message to which a date leads, and the first message since the date. */
  async function found(realm: number, as: TestOrganization, date: string) {
    const { body } = await gateway.as(as.member).get("/api/v1/messages", {
      anchor: "date",
      anchor_date: date,
      num_before: 0,
      num_after: 0,
      narrow: [],
    });
    const [first] = await db.rows<{ id: number }>(
      "SELECT id::int FROM messages WHERE realm_id = $1 AND sent_at >= $2::timestamptz ORDER BY sent_at LIMIT 1",
      [realm, date],
    );
    return { anchor: body["anchor"], first: first?.id };
  }

  it("leads to the same day in an organization that has messages before and after the import", async () => {
    for (const date of ["2021-02-03", "2021-06-01", "2021-10-01", "2022-02-03", "2022-06-01"]) {
      const { anchor, first } = await found(older.realm.id, older, `${date}T00:00:00Z`);
      expect(anchor, date).to.equal(first).and.to.be.a("number");
    }
  });

  it("leads to the same day in the imported organization", async () => {
    for (const date of ["2020-01-02", "2020-02-03", "2020-06-01", "2020-10-01"]) {
      const { anchor, first } = await found(realmId, imported, `${date}T00:00:00Z`);
      expect(anchor, date).to.equal(first).and.to.be.a("number");
    }
  });
});
