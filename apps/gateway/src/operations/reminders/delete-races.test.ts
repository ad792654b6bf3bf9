import { deleteReminder } from "@carillon/contract";
import {
  channel,
  deliver,
  eventsSince,
  kindsOf,
  lastEventSeq,
  makeDue,
  messagesOf,
  remind,
  send,
  storedRow,
  type TestAccount,
  toChannel,
  useGateway,
  useBlocker,
  user,
  useScene,
  watch,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

describe("DELETE /reminders/{reminder_id} during delivery", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const blocker = useBlocker(scene.db);
  let account: TestAccount;
  let id: number;

  beforeEach(async () => {
    account = await user(scene.db, scene.org.realm);
    const room = await channel(scene.db, scene.org.realm, { subscribers: [account] });
    id = await remind(scene.as(account), await send(scene.as(account), toChannel(room.id)));
    await makeDue(scene.db, id, -1);
  });

  const remove = (gateway = scene.gateway) =>
    gateway.as(account).call(deleteReminder, { path: { reminder_id: id } });
  const reminded = async () =>
    (await messagesOf(scene.as(account), withUsers(scene.org.notificationBot.id))).length;

  /** Runs operations that queue for the row while it is locked, in this order. */
  async function inOrder(...all: ReadonlyArray<() => Promise<unknown>>) {
    await blocker.lock("SELECT FROM scheduled_messages WHERE id = $1 FOR NO KEY UPDATE", [id]);
    const running: Promise<unknown>[] = [];
    for (const one of all) {
      running.push(one());
      await blocker.untilWaiting(running.length, `${running.length} wait for the reminder`);
    }
    await blocker.release();
    return Promise.all(running);
  }

  it("sends nothing if the deletion is first, with one deletion event", async () => {
    const received = await watch(scene.gateway, { own: { account } }, () =>
      inOrder(
        () => remove(),
        () => deliver(scene.db, scene.org.realm),
      ),
    );
    expect(kindsOf(received.own)).to.deep.equal(["reminders/remove"]);
    expect(await storedRow(scene.db, id)).to.equal(undefined);
    expect(await reminded()).to.equal(0);
  });

  it("deletes the delivered reminder if the delivery is first, with one deletion event", async () => {
    const received = await watch(scene.gateway, { own: { account } }, async () => {
      const [, answer] = await inOrder(
        () => deliver(scene.db, scene.org.realm),
        () => remove(),
      );
      expect(answer).to.include({ status: 200 });
    });
    expect(kindsOf(received.own).toSorted()).to.deep.equal(["message", "reminders/remove"]);
    expect(await storedRow(scene.db, id)).to.equal(undefined);
    expect(await reminded()).to.equal(1);
  });

  it("succeeds on one of two gateways, whatever the delivery does", async () => {
    for (let round = 0; round < 6; round++) {
      const before = await lastEventSeq(scene.db, account.realmId);
      const [sent, ...answers] = await Promise.all([
        deliver(scene.db, scene.org.realm),
        remove(),
        remove(second),
      ]);
      expect(sent).to.equal(undefined);
      expect(answers.map(({ status }) => status)).to.have.members([200, 404]);
      const kinds = (await eventsSince(scene.db, account.realmId, before)).map(
        ({ type, op }) => `${type}/${op}`,
      );
      expect(kinds.filter((kind) => kind === "reminders/remove")).to.have.length(1);
      expect(await storedRow(scene.db, id)).to.equal(undefined);
      const room = await channel(scene.db, scene.org.realm, { subscribers: [account] });
      id = await remind(scene.as(account), await send(scene.as(account), toChannel(room.id)));
      await makeDue(scene.db, id, -1);
    }
  });
});
