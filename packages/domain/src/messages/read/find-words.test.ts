import type { NarrowTerm } from "@carillon/contract";
import type { Sql, Statement } from "@carillon/db";
import {
  channel,
  directRecipient,
  oneOf,
  organization,
  sequence,
  useDatabase,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

import { searchTexts, searchVector } from "../search/search-vector.ts";
import { findWords, type Effort } from "./find-words.ts";
import { idsOf, sidesStatement, type Side } from "./window.ts";
import { compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";
import { pathOf } from "./source.ts";

const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 12);
const cases = Number(process.env["CARILLON_FUZZ_CASES"] ?? 150);

/** From the most frequent to the rarest; no word is another's stem. */
const vocabulary = ["soup", "salad", "bread", "apple", "zebra", "quartz"];

describe("finding words", () => {
  const db = useDatabase();
  const random = sequence(seed);
  const below = (n: number) => Math.floor(random() * n);
  const words = new Map<number, ReadonlySet<string>>();

  async function fill() {
    const org = await organization(db);
    const rooms = [await channel(db, org.realm), await channel(db, org.realm)];
    const direct = await directRecipient(db, org.realm.id, [org.member, org.owner]);
    const recipients = [...rooms, ...rooms].map(({ recipientId }) => recipientId).concat(direct);
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    const made = Array.from({ length: 400 }, () => {
      const chosen = vocabulary.filter((_, rank) => random() < 0.6 / (rank + 1) ** 1.5);
      return { recipient: oneOf(random, recipients), chosen, topic: oneOf(random, ["a", "b"]) };
    });
    const texts = made.map(({ chosen }) => searchTexts("", `<p>${chosen.join(", ")}</p>`));
    const rows = await db.rows<{ id: number }>(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id, search)
       SELECT $1, CASE WHEN n % 3 = 0 THEN $2::int ELSE $3 END, recipient, recipient <> $4,
         CASE WHEN recipient <> $4 THEN topic ELSE E'\\x07' END, content, '', 1, (SELECT min(id) FROM clients),
         ${searchVector({ topic: "''", content: "content" })}
       FROM unnest($5::int[], $6::text[], $7::text[]) WITH ORDINALITY AS m (recipient, topic, content, n) ORDER BY n
       RETURNING id`,
      [
        org.realm.id,
        org.member.id,
        org.owner.id,
        direct,
        made.map(({ recipient }) => recipient),
        made.map(({ topic }) => topic),
        texts.map(({ contentWords }) => contentWords),
      ],
    );
    for (const [i, { id }] of rows.entries()) words.set(id, new Set(made[i]?.chosen));
    await db.rows(
      `INSERT INTO user_messages SELECT $1, id, CASE WHEN is_channel THEN 0 ELSE 256 END | (id % 4 <> 0)::int
       FROM messages WHERE NOT is_channel OR id % 2 = 0`,
      [org.member.id],
    );
    await db.rows("ANALYZE messages, user_messages");
    return { ...org, rooms };
  }

  const term = (operator: string, operand: NarrowTerm["operand"], negated = false) => ({
    operator,
    operand,
    negated,
  });

  it("finds the nearest messages that contain the words, whichever strategy it chooses", async () => {
    const { member, owner, realm, rooms } = await fill();
    const ids = [...words.keys()];
    const narrows: NarrowTerm[][] = [
      [],
      [term("channel", rooms[0]?.id ?? 0)],
      [term("channel", rooms[0]?.id ?? 0), term("topic", "a")],
      [term("channel", rooms[1]?.id ?? 0), term("is", "unread")],
      [term("channels", "public")],
      [term("topic", "b")],
      [term("dm", [owner.id])],
      [term("is", "dm")],
      [term("is", "unread")],
      [term("sender", owner.id)],
      [term("sender", owner.id, true)],
    ];
    const ways = new Map<string, number>();
    for (let n = 0; n < cases; n++) {
      const wanted = Array.from({ length: 1 + below(2) }, () => oneOf(random, vocabulary));
      const narrow = oneOf(random, narrows);
      const bound = (ids[0] ?? 0) + below(ids.length + 2) - 1;
      const limit = () => 1 + below(8);
      const after: Side = { compare: oneOf(random, [">", ">="]), bound, limit: limit() };
      const before: Side = { compare: "<", bound, limit: limit() };
      const sides = oneOf(random, [[before], [after], [before, after]]);
      const [near, few, far] = [1 + below(15), below(40), 1 + below(60)];
      const effort: Effort = { near: () => near, few, far: () => far };

      const way: string[] = [];
      const found = await searched(
        member,
        realm,
        [...narrow, term("search", wanted.join(" "))],
        sides,
        effort,
        way,
      );
      const expected = await expectedOf(member, realm, narrow, sides, wanted);
      const what = JSON.stringify({ seed, n, wanted, narrow, sides, near, few, far });
      expect(found, what).to.deep.equal(expected);
      ways.set(way.join(" "), (ways.get(way.join(" ")) ?? 0) + 1);
    }
    for (const way of [
      "walk",
      "walk few",
      "walk few walk",
      "walk few walk all",
      "walk walk",
      "walk walk all",
    ])
      expect(ways.get(way) ?? 0, `${way}, of ${JSON.stringify([...ways])}`).to.be.above(0);
  });

  async function searched(
    viewer: TestAccount,
    realm: { emptyTopicDisplayName: string },
    terms: NarrowTerm[],
    sides: readonly Side[],
    effort: Effort,
    way: string[],
  ): Promise<number[]> {
    const watching = (sql: Sql): Sql => ({
      rows: <Row>(statement: Statement<Row>, values?: readonly unknown[]) => {
        const text = typeof statement === "string" ? statement : statement.text;
        if (text.includes("hit AS")) way.push(text.includes("0::bigint") ? "few" : "all");
        else if (text.includes("step")) way.push("walk");
        return sql.rows(statement, values);
      },
    });
    const ids = await db.transaction(async (tx) => {
      const narrow = await compileNarrow(terms, {
        viewer,
        realm: Promise.resolve(realm),
        lookups: narrowLookups(tx, viewer),
      });
      if (!narrow.search) throw new Error("nothing is searched for");
      return findWords(
        watching(tx),
        { viewer, narrow },
        narrow.search,
        sides,
        pathOf(narrow),
        effort,
      );
    });
    return ids.toSorted((a, b) => a - b);
  }

  /** Returns the messages that the narrow finds without the search, filtered by the words. */
  async function expectedOf(
    viewer: TestAccount,
    realm: { emptyTopicDisplayName: string },
    terms: NarrowTerm[],
    sides: readonly Side[],
    wanted: readonly string[],
  ): Promise<number[]> {
    const narrow = await compileNarrow(terms, {
      viewer,
      realm: Promise.resolve(realm),
      lookups: narrowLookups(db, viewer),
    });
    const found: number[] = [];
    for (const side of sides) {
      const ids = await idsOf(db, sidesStatement({ viewer, narrow }, [{ ...side, limit: 1_000 }]));
      const having = ids.filter((id) => wanted.every((word) => words.get(id)?.has(word)));
      const nearest = having.toSorted((a, b) => (side.compare === "<" ? b - a : a - b));
      found.push(...nearest.slice(0, side.limit));
    }
    return found.toSorted((a, b) => a - b);
  }
});
