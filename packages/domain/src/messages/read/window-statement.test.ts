import type { NarrowTerm } from "@carillon/contract";
import {
  channel,
  directRecipient,
  organization,
  useDatabase,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";
import { sidesStatement, type Side } from "./window.ts";

describe("the statement that finds a window", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let busy: TestChannel;
  let quiet: TestChannel;
  let direct = 0;

  /** Writes old messages of a quiet channel and of a direct conversation, then 20,000 of a busy channel. */
  before("write messages", async () => {
    org = await organization(db);
    busy = await channel(db, org.realm);
    quiet = await channel(db, org.realm);
    direct = await directRecipient(db, org.realm.id, [org.member, org.owner]);
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    const add = (recipientId: number, senderId: number, topic: string, count: number) =>
      db.rows(
        `WITH added AS (
          INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
            render_version, client_id)
          SELECT $1, $2, $3, $4, CASE WHEN $4 THEN $5 || i % 100 ELSE E'\\x07' END, 'hello', '<p>hello</p>', 1,
            (SELECT id FROM clients LIMIT 1)
          FROM generate_series(1, $6::int) AS i RETURNING id
        )
        INSERT INTO user_messages SELECT $7, id, CASE WHEN $4 THEN 0 ELSE 256 END | (id % 500 <> 0)::int
          | CASE id % 2000 WHEN 1 THEN 2 WHEN 2 THEN 8 WHEN 3 THEN 64 ELSE 0 END FROM added`,
        [org.realm.id, senderId, recipientId, recipientId !== direct, topic, count, org.member.id],
      );
    await add(quiet.recipientId, org.admin.id, "quiet ", 300);
    await add(direct, org.owner.id, "", 300);
    await add(busy.recipientId, org.owner.id, "busy ", 20_000);
    await db.rows(
      `UPDATE messages SET rendered_content = '<p><span class="user-mention" data-user-id="' || $1 || '">@x</span></p>'
       WHERE id % 2000 = 5`,
      [org.admin.id],
    );
    await db.rows("ANALYZE messages, user_messages, recipients");
  });

  const newest: Side = { compare: "<", bound: 10_000_000_000_000_000, limit: 20 };

  /** Returns how many rows of both large tables the statement touches, and how many it finds. */
  async function cost(sides: readonly Side[], ...terms: Array<[string, NarrowTerm["operand"]]>) {
    const lookups = narrowLookups(db, org.member);
    const narrow = await compileNarrow(
      terms.map(([operator, operand]) => ({ operator, operand, negated: false })),
      { viewer: org.member, realm: Promise.resolve(org.realm), lookups },
    );
    const { text, values } = sidesStatement({ viewer: org.member, narrow }, sides);
    const [plan] = await db.rows<{ "QUERY PLAN": [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    const root = plan?.["QUERY PLAN"][0].Plan;
    if (!root) throw new Error("no plan");
    return { found: root["Actual Rows"], touched: rowsTouched(root) };
  }

  const cases: Array<[string, Array<[string, () => NarrowTerm["operand"]]>]> = [
    ["everything", []],
    ["a busy channel", [["channel", () => busy.id]]],
    ["a quiet channel", [["channel", () => quiet.id]]],
    [
      "the received part of a quiet channel",
      [
        ["channel", () => quiet.id],
        ["in", () => "home"],
      ],
    ],
    [
      "a topic of a channel",
      [
        ["channel", () => busy.id],
        ["topic", () => "BUSY 7"],
      ],
    ],
    ["a topic of any channel", [["topic", () => "quiet 7"]]],
    ["a direct conversation", [["dm", () => [org.owner.id]]]],
    ["all direct messages", [["is", () => "dm"]]],
    ["a sender", [["sender", () => org.admin.id]]],
    [
      "a sender in a channel",
      [
        ["channel", () => quiet.id],
        ["sender", () => org.admin.id],
      ],
    ],
    ["who is mentioned", [["mentions", () => org.admin.id]]],
    [
      "who is mentioned in a busy channel",
      [
        ["channel", () => busy.id],
        ["mentions", () => org.admin.id],
      ],
    ],
    ["what is unread", [["is", () => "unread"]]],
    ["what mentions somebody", [["is", () => "mentioned"]]],
    ["what has an alert word", [["is", () => "alerted"]]],
    ["what is starred", [["is", () => "starred"]]],
    ["all public channels", [["channels", () => "public"]]],
  ];
  for (const [name, terms] of cases)
    it(`reads a few rows for each message of the window: ${name}`, async () => {
      const given = terms.map(([operator, operand]) => [operator, operand()] as [string, number]);
      const { found, touched } = await cost([newest], ...given);
      expect(found).to.be.within(3, 20);
      expect(touched, "rows").to.be.at.most(150);
    });

  it("reads as few rows around a message in the middle", async () => {
    const bound = 10_000;
    const sides: Side[] = [
      { compare: "<", bound, limit: 10 },
      { compare: ">=", bound, limit: 11 },
    ];
    for (const terms of [[], [["channel", busy.id]], [["channels", "public"]]] as const) {
      const { found, touched } = await cost(
        sides,
        ...terms.map(([a, b]) => [a, b] as [string, number]),
      );
      expect(found).to.equal(21);
      expect(touched, "rows").to.be.at.most(200);
    }
  });
});

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

function rowsTouched(node: Node): number {
  const large = node["Relation Name"] === "messages" || node["Relation Name"] === "user_messages";
  const own = large
    ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
    : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsTouched(child), own);
}
