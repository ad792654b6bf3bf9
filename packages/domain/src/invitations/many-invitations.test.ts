import type { Statement } from "@carillon/db";
import { organization, rowsRead, type TestAccount, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { clearLinks } from "./clear-invitations.ts";
import { pageOfAll, pageOfMaker } from "./list-invitations.ts";

/** Rows that one page examines. */
const pageRows = 500;

describe("Among many invitations", () => {
  const db = useDatabase();
  const upTo = 2_147_483_647;
  let owner: TestAccount;
  let member: TestAccount;
  let realmId: number;

  const write = (maker: TestAccount, name: string, count: number, expires: string | null = null) =>
    db.rows(
      `INSERT INTO invitations (realm_id, kind, maker_id, email, role, include_defaults, notify_referrer, key_digest, key_sealed, expires_at)
       SELECT $1, 'email', $2, $3 || n, 400, false, true, sha256(concat($3::text, $2::int, '-', n)::bytea), '', now() + $5::interval
       FROM generate_series(1, $4::int) n`,
      [maker.realmId, maker.id, name, count, expires],
    );

  before(async () => {
    ({
      owner,
      member,
      realm: { id: realmId },
    } = await organization(db));
    const other = await organization(db);
    await write(owner, "expired", 600, "-1 day");
    await write(other.owner, "foreign", 4_000);
    await write(member, "own", 3);
    await write(owner, "open", 1_000);
  });

  for (const analysed of [false, true])
    it(`a page of the list reads only its own rows, ${analysed ? "with" : "without"} statistics`, async () => {
      if (analysed) await db.rows("ANALYZE invitations");
      const [middle] = await db.rows<{ id: number }>(
        "SELECT max(id) - 700 AS id FROM invitations WHERE realm_id = $1",
        [realmId],
      );
      const reads = (statement: Statement, after: number, ...maker: number[]) =>
        db.transaction(async (tx) => {
          // So few rows would be read as a whole and sorted.
          await tx.rows("SET LOCAL enable_seqscan = off");
          await tx.rows("SET LOCAL enable_sort = off");
          return rowsRead(tx, statement, [realmId, after, upTo, ...maker], "invitations");
        });
      const whole = { found: pageRows, read: pageRows };
      expect(await reads(pageOfAll, 0)).to.deep.equal(whole);
      expect(await reads(pageOfAll, middle?.id ?? 0)).to.deep.equal(whole);
      expect(await reads(pageOfMaker, 0, owner.id)).to.deep.equal(whole);
      expect(await reads(pageOfMaker, 0, member.id)).to.deep.equal({ found: 3, read: 3 });
    });

  it("the deletion of a batch of old links reads no other rows", async () => {
    await write(owner, "old", 30, "-31 days");
    await db.rows("ANALYZE invitations");
    const batch = await db.transaction((tx) => rowsRead(tx, clearLinks, [10], "invitations"));
    // Ten are found in the order of the index, and then by id.
    expect(batch).to.deep.equal({ found: 0, read: 20 });
  });
});
