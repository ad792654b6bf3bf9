import type { Sql, Statement } from "@carillon/db";
import { everyCodePoint, trickyTexts, useDatabase } from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";

import { loadFolding } from "./fold-case.ts";

/** Locales of databases; the server may not support all of them. */
const locales = [
  "LOCALE_PROVIDER libc LOCALE 'C.UTF-8'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C.UTF-8'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C.UTF-8'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'lt' LOCALE 'C.UTF-8'",
  "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C.UTF-8'",
  "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'PG_UNICODE_FAST' LOCALE 'C.UTF-8'",
] as const;

describe("Folding of case", () => {
  const db = useDatabase();

  /** Returns the texts that are folded differently from the database. */
  async function differing(sql: Sql, texts: readonly string[]): Promise<string[]> {
    const { fold } = await loadFolding(sql, texts);
    const rows = await sql.rows<{ folded: string }>(
      {
        name: "fold-in-test",
        text: "SELECT lower(t) AS folded FROM unnest($1::text[]) WITH ORDINALITY AS w (t, ord) ORDER BY ord",
      },
      [texts],
    );
    return texts.filter((text, i) => fold(text) !== rows[i]?.folded);
  }

  it("agrees with the database for every code point, and for all pairs of ASCII characters", async () => {
    const all = [...everyCodePoint()];
    const texts: string[] = [];
    for (let i = 0; i < all.length; i += 50) texts.push(all.slice(i, i + 50).join(""));
    expect(await differing(db, texts)).to.deep.equal([]);
    const ascii = all.slice(0, 0x7f);
    expect(
      await differing(
        db,
        ascii.flatMap((a) => ascii.map((b) => a + b)),
      ),
    ).to.deep.equal([]);
  });

  for (const locale of locales)
    it(`agrees with a database that has ${locale}`, async function () {
      const name = `folds_${locales.indexOf(locale)}_${process.pid}`;
      const refusal = await db
        .rows(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' ${locale}`)
        .then(
          () => undefined,
          (error: Error) => error.message,
        );
      // An older server, or one built without ICU.
      if (refusal) return this.skip();
      const url = new URL(db.url);
      url.pathname = name;
      const client = new pg.Client(url.href);
      await client.connect();
      const sql: Sql = {
        rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
          const text = typeof statement === "string" ? statement : statement.text;
          return (await client.query(text, [...values])).rows as Row[];
        },
      };
      try {
        const ascii = Array.from({ length: 0x7f }, (_, i) => String.fromCodePoint(i + 1));
        const pairs = ascii.flatMap((a) => ascii.map((b) => a + b));
        const words = trickyTexts.flatMap((text) => [text, `${text}x`, `x${text}`, `${text} I`]);
        expect(await differing(sql, [...pairs, ...words])).to.deep.equal([]);
      } finally {
        await client.end();
        await db.rows(`DROP DATABASE ${name}`);
      }
    });

  it("sends no query for texts that every locale folds alike", async () => {
    const none: Sql = { rows: () => Promise.reject(new Error("asked")) };
    const { fold } = await loadFolding(none, ["Lunch, and more", "x".repeat(60)]);
    expect(fold("Lunch, and more")).to.equal("lunch, and more");
    expect(() => fold("ΑΣ")).to.throw(/was not loaded/);
    expect(await loadFolding(none, ["INBOX"]).catch((error: Error) => error.message)).to.equal(
      "asked",
    );
  });
});
