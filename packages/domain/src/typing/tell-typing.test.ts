import { changeSettings, eventsOf, organization, testSite, useDatabase } from "@carillon/testkit";
import { expect } from "chai";
import { TypingPace, type TypingOp } from "./pace.ts";
import { tellTyping } from "./tell-typing.ts";

describe("Telling that somebody is typing", () => {
  const db = useDatabase();

  const scene = async () => {
    const { realm, member, guest, owner } = await organization(db);
    const clock = { now: 5_000 };
    const pace = new TypingPace(() => clock.now);
    const say = (op: TypingOp, to: number, { failing = false } = {}) =>
      db.transaction(async (tx) => {
        await tellTyping(tx, testSite(), pace, member, {
          op,
          type: "direct",
          to,
          channelId: undefined,
          topic: undefined,
        });
        if (failing) throw new Error("rolled back");
      });
    /** How many events come of it. */
    const told = async (op: TypingOp, to: number) =>
      (await eventsOf(db, realm.id, () => say(op, to))).events.length;
    return { member, guest, owner, clock, say, told };
  };

  it("is done once a second for the same conversation, and for every change", async () => {
    const { guest, owner, clock, told } = await scene();
    expect(await told("start", guest.id)).to.equal(1);
    expect(await told("start", guest.id)).to.equal(0);
    expect(await told("start", owner.id)).to.equal(1);
    expect(await told("stop", guest.id)).to.equal(1);
    expect(await told("start", guest.id)).to.equal(1);
    clock.now += 1_000;
    expect(await told("start", guest.id)).to.equal(1);
  });

  it("refuses a repetition as it would refuse it the first time", async () => {
    const { member, guest, say } = await scene();
    await say("start", guest.id);
    await changeSettings(db, member, { send_private_typing_notifications: false });
    const refusal = await say("start", guest.id).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
    expect(refusal).to.equal("BAD_REQUEST");
  });

  it("forgets what was rolled back", async () => {
    const { guest, say, told } = await scene();
    await say("start", guest.id, { failing: true }).catch(() => undefined);
    expect(await told("start", guest.id)).to.equal(1);
  });
});
