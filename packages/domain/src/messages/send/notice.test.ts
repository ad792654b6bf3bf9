import { useScene, user } from "@carillon/testkit";
import { expect } from "chai";

import { composeNotice, directTo } from "./notice.ts";
import { systemBot } from "./system-bot.ts";

describe("composeNotice", () => {
  const scene = useScene();

  it("does not wait for the transaction of the installation's first notice", async () => {
    const { db, org } = scene;
    const person = await user(db, org.realm);
    const bot = await systemBot(db, org.realm.id, "notification");
    const notice = { content: "Hello", html: "<p>Hello</p>" };
    const message = { bot, target: directTo(bot, person), notice };
    const clients = await db.transaction(async (first) => {
      const { clientId } = await composeNotice(first, message);
      const other = await db.transaction((second) => composeNotice(second, message));
      return [clientId, other.clientId];
    });
    expect(clients[0]).to.equal(clients[1]);
  });
});
