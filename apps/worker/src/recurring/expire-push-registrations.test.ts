import { startTask } from "@carillon/scheduling";
import { expirePushRegistrations } from "@carillon/jobs";
import {
  captureLog,
  changesOf,
  device,
  organization,
  useDatabase,
  useGateway,
  user,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

import expirePushRegistrationsTask from "./expire-push-registrations.ts";

// push.md §3
describe("The recurring work expire-push-registrations", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  const run = async () => {
    const { log, lines } = captureLog();
    const expiring = startTask(expirePushRegistrationsTask, { db, log });
    await expiring.run();
    await expiring.stop();
    expect(lines.filter(({ level }) => level >= 40)).to.deep.equal([]);
  };
  const since = (id: number, hours: number) =>
    db.rows(
      `UPDATE client_devices SET push_token_last_updated = now() - make_interval(secs => $2::float8 * 3600) WHERE id = $1`,
      [id, hours],
    );
  const errorOf = async (id: number) =>
    (await db.prisma.clientDevice.findUniqueOrThrow({ where: { id } })).pushRegistrationErrorCode;

  it("expires registrations that have been pending for a day, even without a job, and notifies the owners", async () => {
    const [org, other] = [await organization(db), await organization(db)];
    const me = await user(db, org.realm);
    const old = await device(db, me, { pending: 1, active: 2 });
    await db.prisma.pushRegistration.create({
      data: { deviceId: old, bouncerPublicKey: "key", encryptedRegistration: "sealed" },
    });
    const young = await device(db, me, { pending: 1 });
    const failed = await device(db, me, { pending: 1, error: "BAD_REQUEST" });
    const active = await device(db, me, { active: 1 });
    const foreign = await device(db, other.owner, { pending: 1 });
    for (const id of [old, failed, active, foreign]) await since(id, 24);
    await since(young, 23.9);

    const accounts = {
      own: { account: me },
      other: { account: other.owner },
      none: { account: org.owner },
    };
    const received = await watch(gateway, accounts, run);
    const update = {
      type: "device",
      op: "update",
      push_registration_error_code: "REQUEST_EXPIRED",
    };
    const events = (of: keyof typeof accounts) =>
      received[of].map(({ id: _id, ...event }) => event);
    expect(events("own")).to.deep.equal([{ ...update, device_id: old }]);
    expect(events("other")).to.deep.equal([{ ...update, device_id: foreign }]);
    expect(events("none")).to.deep.equal([]);
    expect(await Promise.all([old, foreign].map(errorOf))).to.deep.equal([
      "REQUEST_EXPIRED",
      "REQUEST_EXPIRED",
    ]);
    expect(await Promise.all([young, failed, active].map(errorOf))).to.deep.equal([
      null,
      "BAD_REQUEST",
      null,
    ]);
    expect(await db.prisma.pushRegistration.count({ where: { deviceId: old } })).to.equal(0);
    const { tables } = await changesOf(db, run);
    expect(tables).to.deep.equal([]);
  });

  it("handles them in batches, until none is left", async () => {
    const { owner } = await organization(db);
    const { batch } = expirePushRegistrations.bound;
    await db.rows(
      `INSERT INTO client_devices (user_id, push_key, push_key_id, pending_push_token_id, pending_push_token_kind,
         push_token_last_updated)
       SELECT $1, decode(repeat('31', 33), 'hex'), 1, decode('0102030405060708', 'hex'), 'fcm', now() - interval '2 d'
       FROM generate_series(1, $2)`,
      [owner.id, batch + 5],
    );
    await run();
    const pending = { userId: owner.id, pushRegistrationErrorCode: null };
    expect(await db.prisma.clientDevice.count({ where: pending })).to.equal(0);
  });
});
