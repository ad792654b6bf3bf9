import { listDevices } from "../../push/devices/list-devices.ts";
import type { Section } from "../context/section.ts";

/** What the account's clients have registered for push, by the ids of the devices. */
export const devices: Section = {
  names: ["device"],
  load: async ({ tx, actor }) => ({ devices: await listDevices(tx, actor.id) }),
};
