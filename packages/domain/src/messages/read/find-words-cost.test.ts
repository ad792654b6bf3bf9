import type { NarrowTerm } from "@carillon/contract";
import type { Sql, Statement } from "@carillon/db";
import {
  channel,
  organization,
  rowsRead,
  useDatabase,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { searchVector } from "../search/search-vector.ts";
import { findWords } from "./find-words.ts";
import { compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";
import { pathOf } from "./source.ts";

describe("finding words among many messages", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let busy: TestChannel;
  let quiet: TestChannel;

  /** Writes 300 messages of a quiet channel, then 20,000 of a busy one. */
  before("write messages", async () => {
    org = await organization(db);
    busy = await channel(db, org.realm);
    quiet = await channel(db, org.realm);
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    const add = ({ recipientId }: TestChannel, count: number) =>
      db.rows(
        `WITH added AS (
          INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
            render_version, client_id, search)
          SELECT $1, $2, $3, true, 'lunch', '', '', 1, (SELECT min(id) FROM clients),
            ${searchVector({
              topic: "'lunch'",
              content: `'soup ' || CASE i % 2 WHEN 0 THEN 'salad' ELSE 'bread' END
                || CASE i % 5000 WHEN 77 THEN ' zebra' ELSE '' END`,
            })}
          FROM generate_series(1, $4::int) AS i RETURNING id
        )
        INSERT INTO user_messages SELECT $5, id, 1 FROM added`,
        [org.realm.id, org.owner.id, recipientId, count, org.member.id],
      );
    await add(quiet, 300);
    await add(busy, 20_000);
    await db.rows("VACUUM ANALYZE messages");
    await db.rows("ANALYZE user_messages, recipients");
  });

  /** Returns how many rows of both large tables are read to find the 20 newest messages. */
  async function cost(words: string, ...narrow: Array<[string, NarrowTerm["operand"]]>) {
    let read = 0;
    const viewer = org.member;
    const terms = [...narrow, ["search", words] as const];
    const found = await db.transaction(async (tx) => {
      const reading: Sql = {
        rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
          for (const table of ["messages", "user_messages"])
            read += (await rowsRead(tx, statement, values, table)).read;
          return tx.rows(statement, values);
        },
      };
      const compiled = await compileNarrow(
        terms.map(([operator, operand]) => ({ operator, operand, negated: false })),
        { viewer, realm: Promise.resolve(org.realm), lookups: narrowLookups(tx, viewer) },
      );
      if (!compiled.search) throw new Error("nothing is searched for");
      const side = { compare: "<", bound: 1e16, limit: 20 } as const;
      const search = { viewer, narrow: compiled };
      return findWords(reading, search, compiled.search, [side], pathOf(compiled));
    });
    return { found: found.length, read };
  }

  it("reads a few rows for each message found of a common word", async () => {
    for (const narrow of [
      [],
      [["channel", busy.id]],
      [["channel", quiet.id]],
      [["channels", "public"]],
      [["topic", "lunch"]],
      [["sender", org.owner.id]],
    ] as Array<Array<[string, number]>>)
      for (const words of ["soup", "soup bread"]) {
        const { found, read } = await cost(words, ...narrow);
        expect(found).to.equal(20);
        expect(read, `${words} in ${JSON.stringify(narrow)}`).to.be.at.most(200);
      }
  });

  it("scans neither all messages nor all index hits for a rare word, or for common words that never occur together", async () => {
    for (const narrow of [[], [["channel", busy.id]], [["channels", "public"]]] as Array<
      Array<[string, number]>
    >)
      for (const [words, most] of [
        ["zebra", 5],
        ["salad bread", 0],
        ["nonesuch", 0],
      ] as const) {
        const { found, read } = await cost(words, ...narrow);
        expect(found).to.be.at.most(most);
        expect(read, `${words} in ${JSON.stringify(narrow)}`).to.be.at.most(7_000);
      }
  });

  it("scans a small conversation completely, without the index", async () => {
    const { found, read } = await cost("zebra", ["channel", quiet.id]);
    expect(found).to.equal(1);
    expect(read).to.be.at.most(1_000);
  });
});
