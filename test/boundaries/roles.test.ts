import { expect } from "chai";
import { readProductionFiles } from "./source-files.ts";

const number = "(?:100|200|300|400|600)\\b";
const compared = "\\s*(?:[=!]==?|<=|>=|<>|<|>|=|:|\\?\\?|IN\\s*\\()\\s*";

/** A role's name or column that is compared with a number or set to one, and tables of all roles. */
const spelled = [
  new RegExp(`\\b\\w*role["']?(?:::\\w+)?${compared}${number}`, "i"),
  new RegExp(
    `\\b(?:owner|admin|administrator|moderator|member|guest)s?["']?\\s*:\\s*${number}`,
    "i",
  ),
  /\b100\b[^;]{0,80}\b200\b[^;]{0,80}\b300\b[^;]{0,80}\b400\b[^;]{0,80}\b600\b/,
];

const spellsRole = (text: string) => spelled.some((pattern) => pattern.test(text));

describe("The numbers of roles", () => {
  it("are found wherever they are written", () => {
    for (const text of [
      "if (actor.role <= 200)",
      "account.role === 100",
      "WHERE u.role = 600 AND",
      "FILTER (WHERE role <> 600)",
      "role IN (100, 200)",
      "{ role = 400, isBot }",
      '"role": 300',
      "const guestRole = 600;",
      "{ owner: 100 }",
      '100: "owners", 200: "administrators", 300: "moderators", 400: "members", 600: "everyone"',
    ])
      expect(spellsRole(text), text).to.equal(true);
    for (const text of ["role = ${roles.guest}", "isAtLeast(actor, roles.owner)", "limit: 200"])
      expect(spellsRole(text), text).to.equal(false);
  });

  it("are written only in the contract, in the browser client, which has no other code of the server, and in tests", async () => {
    const sources = await readProductionFiles(["packages", "apps", "bench", "scripts"], /\.m?ts$/);
    const found = sources.filter(({ text }) => spellsRole(text)).map(({ path }) => path);
    expect(found.toSorted()).to.deep.equal([
      "apps/web/src/store/roles.ts",
      "packages/contract/src/primitives/roles.ts",
    ]);
  });
});
