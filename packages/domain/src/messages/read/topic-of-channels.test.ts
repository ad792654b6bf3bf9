import {
  channel,
  oneOf,
  organization,
  rowsRead,
  sequence,
  useDatabase,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { idsOf, sidesStatement, type Side } from "./window.ts";
import { compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";

const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 5);
const cases = Number(process.env["CARILLON_FUZZ_CASES"] ?? 60);

describe("a topic that many channels have", () => {
  const db = useDatabase();
  const random = sequence(seed);
  const rooms = 30;
  const messages = 3_000;
  let org: TestOrganization;
  /** Ids that the member has received, by topic, ascending. */
  const received = new Map<string, number[]>();

  /** The topic "chat" is in every channel; "rare" only in a few, and only in old messages. */
  before("write messages", async () => {
    org = await organization(db);
    const recipients: number[] = [];
    for (let n = 0; n < rooms; n++) recipients.push((await channel(db, org.realm)).recipientId);
    const made = Array.from({ length: messages }, (_, n) => ({
      // A few channels are busy, most are quiet.
      recipient: recipients[Math.floor(random() ** 3 * rooms)] ?? 0,
      topic: oneOf(random, n < 100 ? ["Chat", "chat", "rare"] : ["chat", "CHAT", "lunch"]),
      received: random() < 0.9,
    }));
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    const added = await db.rows<{ id: number }>(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT $1, $2, recipient, true, topic, '', '', 1, (SELECT min(id) FROM clients)
       FROM unnest($3::int[], $4::text[]) WITH ORDINALITY AS m (recipient, topic, n) ORDER BY n RETURNING id`,
      [
        org.realm.id,
        org.owner.id,
        made.map(({ recipient }) => recipient),
        made.map(({ topic }) => topic),
      ],
    );
    const ids = added.map(({ id }) => id).toSorted((a, b) => a - b);
    for (const [n, { topic, received: has }] of made.entries()) {
      if (!has) continue;
      const key = topic.toLowerCase();
      received.set(key, [...(received.get(key) ?? []), ids[n] ?? 0]);
    }
    await db.rows("INSERT INTO user_messages SELECT $1, unnest($2::bigint[]), 0", [
      org.member.id,
      [...received.values()].flat(),
    ]);
    await db.rows("ANALYZE messages, user_messages, recipients, channels");
  });

  async function statementOf(topic: string, sides: readonly Side[]) {
    const narrow = await compileNarrow([{ operator: "topic", operand: topic, negated: false }], {
      viewer: org.member,
      realm: Promise.resolve(org.realm),
      lookups: narrowLookups(db, org.member),
    });
    return sidesStatement({ viewer: org.member, narrow }, sides);
  }

  function expected(topic: string, sides: readonly Side[]): number[] {
    const all = received.get(topic) ?? [];
    const found = sides.flatMap(({ compare, bound, limit }) => {
      if (compare === "<") return all.filter((id) => id < bound).slice(-limit);
      return all.filter((id) => (compare === ">" ? id > bound : id >= bound)).slice(0, limit);
    });
    return found.toSorted((a, b) => a - b);
  }

  it("finds what a full scan finds, on each side", async () => {
    const all = [...received.values()].flat();
    for (let n = 0; n < cases; n++) {
      const limit = 1 + Math.floor(random() * (n % 2 === 0 ? 80 : 8));
      const bound = oneOf(random, [0, 1e16, oneOf(random, all), oneOf(random, all) + 1]);
      const before: Side = { compare: "<", bound, limit };
      const after: Side = { compare: oneOf(random, [">", ">="]), bound, limit };
      const sides = oneOf(random, [[before], [after], [before, after]]);
      const topic = oneOf(random, ["chat", "lunch", "rare", "none"]);
      const found = await idsOf(db, await statementOf(topic, sides));
      expect(
        found.toSorted((a, b) => a - b),
        `${topic}, ${JSON.stringify(sides)}, seed ${seed}`,
      ).to.deep.equal(expected(topic, sides));
    }
  });

  it("reads a few messages of each channel, not a whole window of each", async () => {
    for (const limit of [20, 40]) {
      const { text, values } = await statementOf("chat", [{ compare: "<", bound: 1e16, limit }]);
      const { found, read } = await rowsRead(db, text, values, "messages");
      expect(found).to.equal(limit);
      // Each channel's newest message, at most ten of each, and the messages found.
      expect(read).to.be.at.most(rooms + 10 * rooms + 3 * limit);
    }
  });
});
