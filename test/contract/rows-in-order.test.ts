import { expect } from "chai";

import { readProductionFiles } from "../boundaries/source-files.ts";
import { everyStatement } from "./every-statement.ts";

/** Tables in which concurrent transactions write several rows each. */
const contended = "channels|user_topics|users";

/**
 * Statements whose rows an earlier statement of the same transaction has locked, in order or with the whole table, and
 * which statement.
 */
const lockedBefore: Readonly<Record<string, string>> = {
  "topic-policies-forget": "topic-policies-to-move",
  "reseal-users-store": "reseal-lock",
  "reseal-webhook_secrets-store": "reseal-lock",
  "keys-anew-drop-webhook-secrets": "keys-anew-lock",
  "keys-anew-store": "keys-anew-lock",
  "organization-retire-keys": "organization-retire-accounts",
};

/** The statement writes one row, selected by its key. */
const oneRow = new RegExp(
  `WHERE (?:\\w+\\.)?id = \\$\\d+(?!::|\\w)|WHERE user_id = \\$\\d+ AND channel_id = \\$\\d+ AND lower\\(topic\\) = lower\\(\\$\\d+\\)`,
);

/**
 * Returns what is wrong with the order in which a statement locks the rows that it writes; nothing for a statement that
 * writes none.
 */
function disorderOf(name: string, text: string): string | undefined {
  const write = new RegExp(
    `\\b(?:UPDATE|DELETE FROM|INSERT INTO)\\s+"?(${contended})"?(?!\\w)(.*)`,
    "s",
  ).exec(text);
  if (!write || name in lockedBefore) return undefined;
  const [all, table, rest = ""] = write;
  if (all.startsWith("INSERT")) {
    const upserts = /ON CONFLICT[^;]*DO UPDATE/s.test(rest);
    const several = !/^[^;]*?\bVALUES\s*\(/.test(rest);
    return upserts && several && !/ORDER BY[^;]*ON CONFLICT/s.test(rest)
      ? "inserts or updates several rows without ORDER BY"
      : undefined;
  }
  if (oneRow.test(rest)) return undefined;
  const before = text.slice(0, write.index);
  const held = new RegExp(
    `FROM ${table}\\b(?:(?!\\bFROM\\b(?! \\w+\\))).)*ORDER BY [^()]*FOR NO KEY UPDATE`,
    "s",
  );
  return held.test(before) ? undefined : "writes several rows that it has not locked in order";
}

describe("Statements that write several rows of channels, users or topic policies", () => {
  it("lock them in one order", async () => {
    const statements = (await everyStatement()).map(({ statement }) => statement);
    const wrong = statements.flatMap(({ name, text }) => {
      const disorder = disorderOf(name, text);
      return disorder ? [`${name} ${disorder}`] : [];
    });
    expect(wrong, "docs/decisions/018").to.deep.equal([]);
    const names = new Set(statements.map(({ name }) => name));
    for (const entry of Object.entries(lockedBefore)) expect(names).to.include.members(entry);
  });

  it("are SQL with an explicit order", async () => {
    const sources = await readProductionFiles(["packages", "apps"]);
    // With one id and a condition, updateMany writes one row or none.
    const found = sources.filter(({ text }) =>
      /\b(?:user|channel|userTopic)\.(?:updateMany(?!\(\{\s*where: \{ id: [\w.]+,)|deleteMany|upsert)\b/.test(
        text,
      ),
    );
    expect(found.map(({ path }) => path)).to.deep.equal([]);
  });

  const lock =
    "WITH held AS (SELECT id FROM channels WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE)";
  const cases: ReadonlyArray<readonly [string, boolean]> = [
    ["UPDATE channels SET a = 1 WHERE id = ANY($1::int[])", false],
    ["UPDATE users u SET a = f.a FROM unnest($1::int[]) AS f (id) WHERE u.id = f.id", false],
    ["WITH one AS (SELECT 1), two AS (UPDATE channels c SET a = 1 FROM one) SELECT 1", false],
    [
      "INSERT INTO user_topics SELECT * FROM unnest($1::int[]) ON CONFLICT (a) DO UPDATE SET b = 1",
      false,
    ],
    [
      "WITH held AS (SELECT id FROM users ORDER BY id FOR NO KEY UPDATE) UPDATE channels c SET a = 1 FROM held",
      false,
    ],
    [`${lock} UPDATE channels c SET a = 1 FROM held WHERE c.id = held.id`, true],
    ["UPDATE channels SET a = 1 WHERE id = $1", true],
    [
      "INSERT INTO user_topics SELECT * FROM x ORDER BY id ON CONFLICT (a) DO UPDATE SET b = 1",
      true,
    ],
    ["INSERT INTO user_topics VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = 1", true],
    ["UPDATE channel_folders SET a = 1", true],
  ];
  for (const [text, passes] of cases)
    it(`would ${passes ? "let through" : "refuse"}: ${text}`, () => {
      expect(disorderOf("a-statement", text) === undefined).to.equal(passes);
    });
});
