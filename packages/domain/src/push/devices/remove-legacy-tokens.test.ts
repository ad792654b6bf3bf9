import { createHash } from "node:crypto";
import { addLegacyToken, removeLegacyToken, removeLegacyTokens } from "./legacy-tokens.ts";
import { organization, useDatabase, user, type TestAccount } from "@carillon/testkit";
import { expect } from "chai";

// push.md §3
describe("Legacy push tokens of a newly registered device", () => {
  const db = useDatabase();
  const idOf = (token: string) => createHash("sha256").update(token).digest().subarray(0, 8);
  const add = (by: TestAccount, kind: "fcm" | "apns", token: string) =>
    db.transaction((tx) => addLegacyToken(tx, by, { kind, token }));
  const acknowledge = (by: TestAccount, token: string) =>
    db.transaction((tx) => removeLegacyTokens(tx, by.id, idOf(token)));
  const left = async (by: TestAccount) => {
    const rows = await db.prisma.legacyPushToken.findMany({
      where: { userId: by.id },
      orderBy: { id: "asc" },
    });
    return rows.map(({ kind, token }) => `${kind} ${token}`);
  };

  it("are removed if they equal the device's token, for this account only", async () => {
    const { owner, realm } = await organization(db);
    const me = await user(db, realm);
    for (const by of [me, owner]) {
      await add(by, "fcm", "abcd");
      await add(by, "apns", "abcd");
      await add(by, "fcm", "other");
      await add(by, "fcm", "ключ 😀");
    }
    await acknowledge(me, "unknown");
    expect(await left(me)).to.have.length(4);
    await acknowledge(me, "abcd");
    expect(await left(me)).to.deep.equal(["fcm other", "fcm ключ 😀"]);
    await acknowledge(me, "ключ 😀");
    await acknowledge(me, "ключ 😀");
    expect(await left(me)).to.deep.equal(["fcm other"]);
    expect(await left(owner)).to.have.length(4);
  });

  it("are matched by their stored text, although APNs tokens are case-insensitive", async () => {
    const { realm } = await organization(db);
    const me = await user(db, realm);
    await add(me, "apns", "ABcd");
    await add(me, "apns", "abCD");
    await acknowledge(me, "abcd");
    expect(await left(me)).to.deep.equal(["apns ABcd"]);
    await acknowledge(me, "ABcd");
    expect(await left(me)).to.deep.equal([]);
    const token = { kind: "apns", token: "abcd" } as const;
    const removing = db.transaction((tx) => removeLegacyToken(tx, me, token));
    expect(await removing.catch((error: Error) => error.message)).to.contain("not registered");
  });
});
