import { planPushes, removePushes, sendPushes } from "@carillon/jobs";
import {
  device,
  forgetIntents,
  plannedPushes,
  refuses,
  runCalls,
  send,
  type TestAccount,
  toUsers,
  useFakeBouncer,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

// push.md §9, "After notify"
describe("The bouncer's answer to a notification", () => {
  const scene = useScene();
  const bouncer = useFakeBouncer();
  let ada: TestAccount;
  let bob: TestAccount;

  beforeEach(async () => {
    const { db, org } = scene;
    await forgetIntents(db, planPushes, sendPushes, removePushes);
    await db.prisma.clientDevice.deleteMany();
    ada = await user(db, org.realm);
    bob = await user(db, org.realm);
  });

  const push = async () => {
    await send(scene.as(scene.org.owner), toUsers([ada.id, bob.id], { content: "Hello" }));
    await plannedPushes(scene.db);
    return runCalls(scene.db, sendPushes, bouncer.config);
  };
  const received = async (work: () => Promise<unknown>) => {
    const accounts = {
      ada: { account: ada },
      bob: { account: bob },
      owner: { account: scene.org.owner },
    };
    const events = await watch(scene.gateway, accounts, work);
    const of = (name: keyof typeof accounts) =>
      events[name]
        .filter(({ type }) => type === "device" || type === "realm")
        .map(({ id: _id, ...event }) => event);
    return { ada: of("ada"), bob: of("bob"), owner: of("owner") };
  };
  const tokenOf = async (id: number) =>
    (await scene.db.prisma.clientDevice.findUniqueOrThrow({ where: { id } })).pushTokenId;
  const base64 = (fill: number) => Buffer.alloc(8, fill).toString("base64");
  const states = async () =>
    (await scene.db.prisma.jobIntent.findMany({ where: { job: sendPushes.name } })).map(
      ({ state }) => state,
    );

  it("deletes the tokens that it reports dead, if they were in the call, and never sends to them again", async () => {
    const { db, org } = scene;
    const dead = await device(db, ada, { active: 1 });
    const alive = await device(db, ada, { active: 2 });
    const shared = await device(db, bob, { active: 1 });
    const untold = await device(db, org.member, { active: 1 });
    bouncer.behave({ notifyAnswer: { delete_token_ids: [base64(1), base64(9), "?"] } });
    const events = await received(push);
    const gone = { type: "device", op: "update", push_token_id: null };
    expect(events).to.deep.equal({
      ada: [{ ...gone, device_id: dead }],
      bob: [{ ...gone, device_id: shared }],
      owner: [],
    });
    expect([await tokenOf(dead), await tokenOf(shared)]).to.deep.equal([null, null]);
    for (const id of [alive, untold]) expect(await tokenOf(id)).not.to.equal(null);
    bouncer.reset();
    await push();
    const tokens = bouncer.handedOver.flatMap(({ push_requests }) =>
      push_requests.map(({ token_id }) => token_id),
    );
    expect(tokens).to.deep.equal([base64(2)]);
  });

  it("notifies all clients once whether the organization may push", async () => {
    await device(scene.db, ada, { active: 1 });
    const update = { type: "realm", op: "update" };
    const off = { ...update, property: "push_notifications_enabled", value: false };
    for (const code of ["MISSING_REMOTE_REALM", "PUSH_NOTIFICATIONS_DISALLOWED"]) {
      bouncer.behave({ fault: refuses(403, code) });
      const events = await received(push);
      expect(events).to.deep.equal({ ada: [off], bob: [off], owner: [off] });
      expect(await received(push)).to.deep.equal({ ada: [], bob: [], owner: [] });
      bouncer.behave({});
      const on = { ...off, value: true };
      expect(await received(push)).to.deep.equal({ ada: [on], bob: [on], owner: [on] });
    }
  });

  it("is final when the bouncer refuses the organization, and is logged for the operator", async () => {
    await device(scene.db, ada, { active: 1 });
    bouncer.behave({ fault: refuses(403, "PUSH_NOTIFICATIONS_DISALLOWED") });
    const runs = await push();
    const errors = runs.flatMap(({ logLines }) => logLines.filter(({ level }) => level >= 50));
    expect(errors.map(({ code }) => code)).to.deep.equal(["PUSH_NOTIFICATIONS_DISALLOWED"]);
    expect(await states()).to.deep.equal(["done"]);
    expect(bouncer.calls).to.have.length(1);
  });

  it("is retried when only the bouncer's credentials failed", async () => {
    await device(scene.db, ada, { active: 1 });
    bouncer.behave({ fault: refuses(403, "INVALID_ZULIP_SERVER") });
    expect(await push().catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect(await states()).to.deep.equal(["pending"]);
    bouncer.behave({});
    await runCalls(scene.db, sendPushes, bouncer.config);
    expect(bouncer.handedOver).to.have.length(1);
  });
});
