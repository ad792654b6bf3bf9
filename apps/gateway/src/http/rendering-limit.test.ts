import { renderMessageText } from "@carillon/contract";
import {
  channel,
  organization,
  useDatabase,
  useGateway,
  useBlocker,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("long texts of one account", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const blocker = useBlocker(db);

  it("are rendered one at a time, without delaying short texts and other accounts", async () => {
    const org = await organization(db);
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const mention = `#**${room.name}** `;
    const bounded = mention.padEnd(1_000, "x");
    const render = (by: TestAccount, content: string) =>
      gateway.as(by).call(renderMessageText, { params: { content } });
    // What names a channel is looked up while it is rendered.
    await blocker.lock("LOCK TABLE channels IN ACCESS EXCLUSIVE MODE");
    const long = [1, 2, 3, 4, 5].map(() => render(org.member, `${bounded}x`));
    await blocker.untilWaiting(1, "a long text of the member's");
    const others = [render(org.member, bounded), render(org.owner, `${bounded}x`)];
    await blocker.untilWaiting(3, "a short text, and a long one of somebody else's");
    // All have come by the time in which others that came after them are through.
    expect((await render(org.moderator, "no channel")).status).to.equal(200);
    expect(await blocker.waiting()).to.equal(3);
    await blocker.release();
    for (const answer of await Promise.all([...long, ...others]))
      expect(answer.status).to.equal(200);
  });
});
