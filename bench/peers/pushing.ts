import { bouncerClient, encryptPayload, pushRequestFor, type PushRequest } from "@carillon/push";
import { chatLine } from "../lib/chat-lines.ts";
import { pushKeyOf } from "../lib/devices.ts";

/** Asks for one run of the minimal loop. */
export interface PushingRequest {
  readonly notifications: number;
  readonly people: number;
  readonly batchSize: number;
}

// The minimal cost of pushing: encrypts each device's notification and posts a batch per call, without lookups.
const url = process.env["BOUNCER_URL"]!;
const client = bouncerClient(
  { url, serverId: "bench", serverKey: "bench", timeoutMs: 15_000 },
  "1",
);
/** Concurrent calls, as many as a worker makes. */
const atOnce = 20;

console.log("peer started");
process.on("message", (wanted: PushingRequest) => {
  void run(wanted).then(() => process.send?.({ done: true }));
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

async function run({ notifications, people, batchSize }: PushingRequest): Promise<void> {
  let next = 0;
  const calls = async (): Promise<void> => {
    while (next < notifications) {
      const first = next;
      next = Math.min(first + batchSize, notifications);
      const push_requests: PushRequest[] = [];
      for (let n = first; n < next; n++) push_requests.push(await request(n, n % people));
      const outcome = await client.notify({ realm_uuid: "bench", push_requests });
      if (outcome.kind !== "done") throw new Error(outcome.reason);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, calls));
}

async function request(n: number, person: number): Promise<PushRequest> {
  const device = { tokenId: Buffer.alloc(8, person), tokenKind: "fcm", pushKeyId: 1 } as const;
  const payload = {
    type: "message",
    realm_url: "http://carillon.test",
    realm_name: "bench1",
    user_id: person,
    message_id: n,
    time: 1_800_000_000,
    sender_id: 7,
    sender_full_name: "Member 1-1",
    sender_avatar_url: "http://carillon.test/avatar/7?version=1",
    recipient_type: "channel",
    channel_id: 3,
    channel_name: "channel 3",
    topic: "topic 1",
    content: chatLine(n, "Member 1-2"),
  };
  return pushRequestFor(device, "message", await encryptPayload(pushKeyOf(person), payload));
}
