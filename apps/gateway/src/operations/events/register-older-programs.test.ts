import { register } from "@carillon/contract";
import { channel, unsubscribe, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("POST /register for older clients", () => {
  const scene = useScene();

  it("contains the subscriptions' e-mail address for these clients only", async () => {
    const { db, org } = scene;
    await channel(db, org.realm, { subscribers: [org.member] });
    const left = await channel(db, org.realm, { subscribers: [org.member] });
    await unsubscribe(db, left, org.member);
    const snapshot = async (agent: string) => {
      const params = { fetch_event_types: ["subscription"] };
      const headers = { "User-Agent": agent };
      const answer = await scene.as(org.member).succeed(register, { params, headers });
      return answer as unknown as Record<"subscriptions" | "unsubscribed", object[]>;
    };
    const usual = await snapshot("ZulipMobile/30.0.1 (Android 14)");
    expect(usual.subscriptions).not.to.have.length(0);
    for (const each of [...usual.subscriptions, ...usual.unsubscribed])
      expect(each).not.to.have.property("email_address");
    const older = await snapshot("ZulipTerminal/0.7.0 Linux-6.1 (Debian GNU/Linux; 12)");
    expect(older.subscriptions).to.deep.equal(
      usual.subscriptions.map((each) => ({ ...each, email_address: "" })),
    );
    expect(older.unsubscribed).to.have.length(1).and.to.deep.equal(usual.unsubscribed);
  });
});
