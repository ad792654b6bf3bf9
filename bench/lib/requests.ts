import { chatLine } from "./chat-lines.ts";
import type { Member, World } from "./world.ts";

/** A request that schedules a message, ready to be sent. */
export interface ScheduleRequest {
  readonly method: "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function credentials({ email, apiKey }: Member): string {
  return `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
}

/** Request number `n`: a member schedules a chat line in their channel. @param deliverAt UNIX seconds */
export function scheduleRequest({ rooms }: World, n: number, deliverAt: number): ScheduleRequest {
  const room = rooms[n % rooms.length]!;
  const turn = Math.floor(n / rooms.length);
  const sender = room.members[turn % room.members.length]!;
  const colleague = room.members[(turn + 3) % room.members.length]!;
  return {
    method: "POST",
    path: "/api/v1/scheduled_messages",
    headers: {
      authorization: credentials(sender),
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "ZulipPython/0.9",
    },
    body: new URLSearchParams({
      type: "channel",
      to: String(room.id),
      topic: `topic ${turn % 8}`,
      content: chatLine(n, colleague.name),
      scheduled_delivery_timestamp: String(deliverAt),
    }).toString(),
  };
}
