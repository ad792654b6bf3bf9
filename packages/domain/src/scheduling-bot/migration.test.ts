import { readFile } from "node:fs/promises";
import { organization, testSite, useDatabase, user } from "@carillon/testkit";
import { expect } from "chai";

const file = new URL(
  "../../../../prisma/migrations/202611241431_scheduling_bot/migration.sql",
  import.meta.url,
);

describe("the migration that adds the scheduling bot", () => {
  const db = useDatabase();

  it("creates a bot with an unknown API key in each organization, even if its address is taken", async () => {
    const [here, there] = [await organization(db), await organization(db)];
    await db.prisma.user.deleteMany({ where: { systemBotKind: "scheduling" } });
    const taken = there.schedulingBot.deliveryEmail;
    await user(db, there.realm, { email: taken });
    const [insert = ""] = (await readFile(file, "utf8")).split(/;\n/);
    await db.rows(insert);
    for (const { realm, notificationBot, schedulingBot } of [here, there]) {
      const bot = await db.prisma.user.findFirstOrThrow({
        where: { realmId: realm.id, systemBotKind: "scheduling" },
      });
      const { fullName, role, isBot, botType, isActive } = schedulingBot;
      expect(bot).to.include({ fullName, role, isBot, botType, isActive });
      const key = testSite().secrets.open(bot.apiKeySealed);
      expect(bot.apiKeyDigest).not.to.deep.equal(testSite().secrets.digest(key));
      const host = notificationBot.deliveryEmail.split("@")[1];
      const isTaken = schedulingBot.deliveryEmail === taken;
      expect(bot.deliveryEmail).to.equal(
        isTaken ? `scheduling-bot-${notificationBot.id}@${host}` : `scheduling-bot@${host}`,
      );
      expect(bot.email).to.equal(bot.deliveryEmail);
    }
  });
});
