import * as contract from "@carillon/contract";
import {
  addLegacyToken,
  createDevice,
  registerPushDevice,
  removeDevice,
  removeLegacyToken,
  testPush,
} from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.registerClientDevice, async ({ tx, actor }) => ({
    device_id: await createDevice(tx, actor),
  })),

  handle.changes(contract.registerPushDevice, ({ tx, input, actor, services: { site } }) =>
    registerPushDevice(tx, site, actor, input),
  ),

  handle.changes(contract.removeClientDevice, ({ tx, input, actor }) =>
    removeDevice(tx, actor, input.device_id),
  ),

  handle.inSteps(contract.sendTestNotification, ({ input, actor, signal, services }) =>
    testPush(services, actor, { deviceId: input.device_id, signal }),
  ),

  handle.changes(contract.addApnsToken, ({ tx, input: { token, appid }, actor }) =>
    addLegacyToken(tx, actor, { kind: "apns", token }, appid),
  ),

  handle.changes(contract.removeApnsToken, ({ tx, input: { token }, actor }) =>
    removeLegacyToken(tx, actor, { kind: "apns", token }),
  ),

  handle.changes(contract.addFcmToken, ({ tx, input: { token }, actor }) =>
    addLegacyToken(tx, actor, { kind: "fcm", token }),
  ),

  handle.changes(contract.removeFcmToken, ({ tx, input: { token }, actor }) =>
    removeLegacyToken(tx, actor, { kind: "fcm", token }),
  ),
];
