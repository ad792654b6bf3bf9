import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { readZuliprc } from "./account.ts";
import { handovers } from "./handovers.ts";
import { Phone } from "./phone.ts";

/*
 * A phone in the terminal: it registers for push, and prints each decrypted notification as a line of JSON, until
 * Ctrl-C. Its provider is the file that a development bouncer writes.
 */
const usage =
  "npm run phone -- --zuliprc FILE --bouncer-key KEY --handovers FILE [--kind fcm|apns]\n" +
  "  KEY: of `npm run bouncer -- public-keys`; the second FILE: DATA_DIR/bouncer/handovers.jsonl";

const { values } = parseArgs({
  options: {
    zuliprc: { type: "string" },
    "bouncer-key": { type: "string" },
    handovers: { type: "string" },
    kind: { type: "string", default: "fcm" },
  },
});
const { zuliprc, "bouncer-key": bouncerKey, handovers: path, kind } = values;

if (!zuliprc || !bouncerKey || !path || (kind !== "fcm" && kind !== "apns")) {
  console.error(usage);
  process.exit(1);
}

const ended = new AbortController();
process.on("SIGINT", () => ended.abort());
process.on("SIGTERM", () => ended.abort());
const phone = new Phone(await readZuliprc(zuliprc), kind);
await phone.register(bouncerKey);
console.log("registered");
while (!ended.signal.aborted && !(await phone.isActive())) await pause(500);
console.log("active");
for await (const handed of handovers(path, ended.signal)) {
  const notification = await phone.open(handed);
  if (notification) console.log(JSON.stringify(notification));
}
