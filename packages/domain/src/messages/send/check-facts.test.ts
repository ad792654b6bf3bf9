import { channel, crowd, organization, useDatabase } from "@carillon/testkit";
import { parseMessage } from "@carillon/markdown";
import type { MessageInput } from "@carillon/model";
import { expect } from "chai";

import { loadCheckFacts } from "./check-facts.ts";

describe("the statement that a check asks", () => {
  const db = useDatabase({ max: 1 });

  it("is planned once on each connection, whatever a message names", async () => {
    const { realm, owner, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member, owner] });
    const people = await crowd(db, member, 1_000);
    for (let i = 0; i < 20; i++) await channel(db, realm, { subscribers: people });
    // What PostgreSQL knows of the tables must not depend on when it looks at them by itself.
    await db.rows("ANALYZE");
    const content = `@**Somebody** @*everybody* #**${room.name}** #**${room.name}>lunch** @_**Else|7**`;
    const toChannel: MessageInput = {
      senderId: member.id,
      destination: { kind: "channel", channelId: room.id },
      topic: "lunch",
      content,
    };
    const toPerson: MessageInput = {
      ...toChannel,
      destination: { kind: "direct", userIds: [owner.id] },
      topic: undefined,
    };
    const naming = { ...toChannel, content: "@**Somebody**" };
    const calling = { ...toChannel, content: `${content} @**topic**` };
    const plain = { ...toChannel, content: "hello" };
    const kinds = [[plain], [naming], [calling], [toPerson], [toChannel, toPerson, calling]];
    // PostgreSQL plans a statement five times with its values before it compares with a plan without them.
    for (let i = 0; i < 8; i++)
      for (const inputs of kinds) {
        const texts = inputs.map((input) => ({ input, parsed: parseMessage(input.content) }));
        await loadCheckFacts(db, realm.id, "http://carillon.test", texts);
      }
    const plans = await db.rows<{ anew: number; once: number }>(
      `SELECT custom_plans::int AS anew, generic_plans::int AS once FROM pg_prepared_statements
       WHERE name LIKE 'combined-%'`,
    );
    expect(plans).to.have.lengthOf(kinds.length);
    for (const { anew, once } of plans) expect({ anew, once }).to.deep.equal({ anew: 5, once: 3 });
  });
});
