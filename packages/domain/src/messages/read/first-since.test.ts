import type { NarrowTerm } from "@carillon/contract";
import type { Sql, Statement } from "@carillon/db";
import {
  channel,
  directRecipient,
  oneOf,
  organization,
  rowsRead,
  sequence,
  useDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { searchTexts, searchVector } from "../search/search-vector.ts";
import { findMessages } from "./find-messages.ts";
import { maxAnchor } from "./request.ts";
import { idsOf, sidesStatement } from "./window.ts";
import { compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";

const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 7);
const cases = Number(process.env["CARILLON_FUZZ_CASES"] ?? 150);

const second = 1_000_000;
/** Time of the first message, in microseconds since the UNIX epoch. */
const start = Date.UTC(2026, 0, 1) * 1_000;

interface TestMessage {
  readonly recipientId: number;
  readonly senderId: number;
  readonly topic: string;
  readonly sentAt: number;
  /** Flags of the reader's copy; null if there is none. */
  readonly flags: number | null;
}

describe("the first message since a date", () => {
  const db = useDatabase();
  const random = sequence(seed);
  const below = (n: number) => Math.floor(random() * n);

  async function write(
    realmId: number,
    readerId: number,
    direct: number,
    all: readonly TestMessage[],
  ) {
    const { topicWords, contentWords } = searchTexts("", "<p>soup</p>");
    const of = <K extends keyof TestMessage>(key: K) => all.map((one) => one[key]);
    const rows = await db.rows<{ id: number }>(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id, sent_at, search)
       SELECT $1, sender, recipient, recipient <> $2, CASE WHEN recipient <> $2 THEN topic ELSE E'\\x07' END, '', '', 1,
         (SELECT min(id) FROM clients), 'epoch'::timestamptz + sent_at * interval '1 us',
         CASE WHEN n % 7 = 0 THEN ${searchVector({ topic: "$3", content: "$4" })} END
       FROM unnest($5::int[], $6::int[], $7::text[], $8::bigint[])
         WITH ORDINALITY AS m (recipient, sender, topic, sent_at, n) ORDER BY n
       RETURNING id`,
      [
        realmId,
        direct,
        topicWords,
        contentWords,
        of("recipientId"),
        of("senderId"),
        of("topic"),
        of("sentAt"),
      ],
    );
    const ids = rows.map(({ id }) => id);
    await db.rows(
      `INSERT INTO user_messages SELECT $1, id, flags FROM unnest($2::bigint[], $3::int[]) AS um (id, flags)
       WHERE flags IS NOT NULL`,
      [readerId, ids, of("flags")],
    );
    await db.rows("ANALYZE messages, user_messages");
    return ids;
  }

  /**
   * Writes messages of two channels and a conversation, one every ten seconds, some up to five minutes out of order.
   */
  async function history(count: number) {
    const org = await organization(db);
    const rooms = [await channel(db, org.realm), await channel(db, org.realm)];
    const direct = await directRecipient(db, org.realm.id, [org.member, org.owner]);
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    const recipients = [...rooms, ...rooms].map(({ recipientId }) => recipientId).concat(direct);
    const all = Array.from({ length: count }, (_, i): TestMessage => {
      const recipientId = oneOf(random, recipients);
      const bits = (recipientId === direct ? 256 : 0) | (below(3) && 1) | (below(9) ? 0 : 2);
      const late = oneOf(random, [0, 0, below(20), below(300)]) * second + below(3);
      return {
        recipientId,
        senderId: oneOf(random, [org.member.id, org.owner.id]),
        topic: oneOf(random, ["a", "b"]),
        // Some messages have the same time.
        sentAt: start + (i - (i % 3)) * 10 * second - late,
        flags: recipientId === direct || below(2) ? bits : null,
      };
    });
    const ids = await write(org.realm.id, org.member.id, direct, all);
    return { org, rooms, direct, all, ids };
  }

  const term = (operator: string, operand: NarrowTerm["operand"], negated = false) => ({
    operator,
    operand,
    negated,
  });

  async function compiled(org: Awaited<ReturnType<typeof organization>>, terms: NarrowTerm[]) {
    const lookups = narrowLookups(db, org.member);
    const narrow = await compileNarrow(terms, {
      viewer: org.member,
      realm: Promise.resolve(org.realm),
      lookups,
    });
    return { viewer: org.member, narrow };
  }

  it("is the message that a full scan finds, or else the newest one", async () => {
    const { org, rooms, all, ids } = await history(400);
    const sentAt = new Map(ids.map((id, i) => [id, all[i]?.sentAt ?? 0]));
    const narrows: NarrowTerm[][] = [
      [],
      [term("channel", rooms[0]?.id ?? 0)],
      [term("channel", rooms[0]?.id ?? 0), term("topic", "a")],
      [term("channel", rooms[1]?.id ?? 0), term("is", "unread")],
      [term("channels", "public")],
      [term("topic", "b")],
      [term("dm", [org.owner.id])],
      [term("is", "dm")],
      [term("is", "starred")],
      [term("sender", org.owner.id)],
      [term("id", ids[200] ?? 0)],
      [term("topic", "none has it")],
    ];
    const outcomes = new Map<string, number>();
    for (let n = 0; n < cases; n++) {
      const terms = oneOf(random, narrows);
      const search = await compiled(org, terms);
      const everything = { compare: ">", bound: 0, limit: 10_000 } as const;
      const matching = await idsOf(db, sidesStatement(search, [everything]));
      const words = random() < 0.3 ? [term("search", "soup")] : [];
      const found = await compiled(org, [...terms, ...words]);
      const wanted = words.length === 0 ? matching : matching.filter((id) => isSoup(ids, id));

      const edge = start + below(4_200) * second + below(3);
      const exact = all[below(400)]?.sentAt ?? 0;
      const time = oneOf(random, [edge, exact, exact + 1, exact - 1]);
      const later = wanted
        .filter((id) => (sentAt.get(id) ?? 0) >= time)
        .toSorted((a, b) => (sentAt.get(a) ?? 0) - (sentAt.get(b) ?? 0) || a - b);
      const newest = wanted.toSorted((a, b) => a - b).at(-1);
      const { anchor } = await findMessages(db, found, {
        kind: "window",
        anchor: { kind: "date", time: BigInt(time) },
        numBefore: 0,
        numAfter: 0,
        includeAnchor: true,
      });
      const what = JSON.stringify({ seed, n, terms, words, time });
      expect(anchor, what).to.equal(later[0] ?? newest ?? maxAnchor);
      const disordered = later[0] !== undefined && later[0] > Math.min(...later);
      const outcome = disordered ? "out of order" : later[0] ? "later" : newest ? "newest" : "none";
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    for (const outcome of ["out of order", "later", "newest", "none"])
      expect(outcomes.get(outcome), `${outcome} of ${JSON.stringify([...outcomes])}`).to.be.above(
        0,
      );
  });

  const isSoup = (ids: readonly number[], id: number) => (ids.indexOf(id) + 1) % 7 === 0;

  it("is found without a full scan", async () => {
    const { org, rooms, ids, all } = await history(20_000);
    const time = BigInt(all[12_000]?.sentAt ?? 0);
    for (const terms of [
      [],
      [term("channel", rooms[0]?.id ?? 0)],
      [term("channel", rooms[0]?.id ?? 0), term("topic", "A")],
      [term("topic", "a")],
      [term("channels", "public")],
      [term("dm", [org.owner.id])],
      [term("is", "starred")],
      [term("is", "unread")],
      [term("sender", org.owner.id)],
    ]) {
      let read = 0;
      const reading: Sql = {
        rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
          for (const table of ["messages", "user_messages"])
            read += (await rowsRead(db, statement, values, table)).read;
          return db.rows(statement, values);
        },
      };
      const search = await compiled(org, terms);
      const { anchor = 0 } = await findMessages(reading, search, {
        kind: "window",
        anchor: { kind: "date", time },
        numBefore: 0,
        numAfter: 0,
        includeAnchor: false,
      });
      expect(anchor, JSON.stringify(terms)).to.be.within(ids[11_900] ?? 0, ids[12_200] ?? 0);
      expect(read, JSON.stringify(terms)).to.be.at.most(1_000);
    }
  });
});
