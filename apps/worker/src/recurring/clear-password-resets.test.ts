import { silentLogger } from "@carillon/kit";
import { startTask } from "@carillon/scheduling";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearPasswordResetsTask from "./clear-password-resets.ts";

describe("the recurring work clear-password-resets", () => {
  const db = useDatabase();

  it("deletes old rows of links, requests and tickets, in batches, and nothing else", async () => {
    const { realm, member } = await organization(db);
    const age = "now() - make_interval(hours => $3::int) + n * interval '1 microsecond'";
    const rows = "FROM generate_series(1, $4::int) n";
    const write = async (days: number, count: number, ticketHours: number) => {
      const of = [realm.id, member.id, days * 24, count];
      await db.rows(
        `INSERT INTO password_resets (realm_id, user_id, email, key_sealed, key_digest, created_at)
         SELECT $1, $2, 'a@b.test', '', sha256((n || '-' || $3::int)::bytea), ${age} ${rows}`,
        of,
      );
      await db.rows(
        `INSERT INTO reset_requests (realm_id, email, created_at)
         SELECT $1, $2::int || '@b.test', ${age} ${rows}`,
        of,
      );
      await db.rows(
        `INSERT INTO login_tickets (realm_id, user_id, ticket_digest, created_at)
         SELECT $1, $2, sha256((n || '-' || $3::int)::bytea), ${age} ${rows}`,
        [realm.id, member.id, ticketHours, count],
      );
    };
    await write(31, 5_010, 25);
    await write(29, 3, 23);
    const clearing = startTask(clearPasswordResetsTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    for (const [table, days] of [
      ["password_resets", 30],
      ["reset_requests", 30],
      ["login_tickets", 1],
    ] as const) {
      const [left] = await db.rows(
        `SELECT count(*)::int AS rows, bool_and(created_at > now() - make_interval(days => $1)) AS young FROM ${table}`,
        [days],
      );
      expect(left, table).to.deep.equal({ rows: 3, young: true });
    }
  });
});
