import { registerClientDevice, registerPushDevice, removeClientDevice } from "@carillon/contract";

import { settleRegistration } from "@carillon/domain";

import {
  maybe,
  pick,
  someone,
  step,
  logStep,
  type Step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

const keys = [1, 2].map((id) => ({
  push_key_id: id,
  push_key: Buffer.alloc(33, 0x31).fill(id, 1).toString("base64"),
}));
const tokens = [1, 2].map((id) => ({
  token_kind: "fcm",
  token_id: Buffer.alloc(8, id).toString("base64"),
  bouncer_public_key: "key",
  encrypted_push_registration: "sealed",
}));

/** The caller's own, or sometimes another account's, which is refused. */
function aDevice(walk: Walk) {
  if (walk.devices.length === 0) return undefined;
  const { id, by } = pick(walk, walk.devices);
  return { device_id: id, by: walk.chance.below(8) > 0 ? by : someone(walk) };
}

/** Steps of push registrations. */
export const deviceSteps: readonly WalkStep[] = [
  step(registerClientDevice, 2, (walk) => {
    const by = someone(walk);
    const onSuccess = ({ device_id }: Readonly<Record<string, unknown>>) =>
      void walk.devices.push({ id: device_id as number, by });
    return { by, onSuccess };
  }),
  step(registerPushDevice, 3, (walk) => {
    const device = aDevice(walk);
    if (!device) return undefined;
    const { by, device_id } = device;
    const key = walk.chance.below(4) > 0 ? pick(walk, keys) : {};
    const token = maybe(walk) ? pick(walk, tokens) : {};
    return { by, params: { device_id, ...key, ...token } };
  }),
  step(removeClientDevice, 1, (walk) => {
    const device = aDevice(walk);
    return device && { by: device.by, params: { device_id: device.device_id } };
  }),
];

/** The push bouncer registers a device's token or fails. */
export function bouncerDecides(walk: Walk): Step {
  const refusal = walk.chance.below(3) > 0 ? undefined : "BAD_REQUEST";
  return async () => {
    const [oldest] = await walk.db.rows<{ registrationId: number; deviceId: number }>(
      `SELECT id AS "registrationId", device_id AS "deviceId" FROM push_registrations ORDER BY id LIMIT 1`,
    );
    if (!oldest) return;
    const logOutcome = logStep(walk, `the bouncer decides on device ${oldest.deviceId}`);
    const { id } = walk.org.realm;
    await walk.db.transaction((tx) => settleRegistration(tx, id, oldest, refusal));
    logOutcome(refusal ?? "kept");
  };
}
