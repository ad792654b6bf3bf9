import { chatLine } from "./chat-lines.ts";
import type { Member, BenchChannel, World } from "./world.ts";

/** A request with a form as its body, or without a body. */
export interface FormRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function credentials({ email, apiKey }: Member): string {
  return `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
}

/**
 * Builds request number `n`, which schedules a chat line of a member in their channel.
 * @param deliverAt UNIX seconds
 */
export function scheduleRequest(world: World, n: number, deliverAt: number): FormRequest {
  const { sender, fields } = lineOf(world, n);
  return formRequest(sender, "/api/v1/scheduled_messages", {
    ...fields,
    scheduled_delivery_timestamp: String(deliverAt),
  });
}

/** Builds request number `n`, which sends a chat line of a member to their channel. */
export function sendRequest(world: Pick<World, "channels">, n: number): FormRequest {
  const { sender, fields } = lineOf(world, n);
  return formRequest(sender, "/api/v1/messages", fields);
}

/** Builds a request that registers an event queue without a snapshot. @param eventTypes by default only `message` */
export function registerRequest(
  member: Member,
  eventTypes: readonly string[] = ["message"],
): FormRequest {
  return formRequest(member, "/api/v1/register", {
    event_types: JSON.stringify(eventTypes),
    fetch_event_types: "[]",
  });
}

/** Builds a POST request of a member with a form as its body. */
export function formRequest(
  member: Member,
  path: string,
  fields: Readonly<Record<string, string>>,
): FormRequest {
  return {
    method: "POST",
    path,
    headers: {
      authorization: credentials(member),
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "ZulipPython/0.9",
    },
    body: new URLSearchParams(fields).toString(),
  };
}

/** Builds a request of a member that subscribes accounts to a channel. */
export function subscribeRequest(
  member: Member,
  channel: string,
  principals: readonly number[],
): FormRequest {
  return formRequest(member, "/api/v1/users/me/subscriptions", {
    subscriptions: JSON.stringify([{ name: channel }]),
    principals: JSON.stringify(principals),
  });
}

/** Builds a request that marks all messages of a member as read. */
export function markAllReadRequest(member: Member): FormRequest {
  return formRequest(member, "/api/v1/mark_all_as_read", {});
}

/** Builds a request that registers a device of a member for push notifications. */
export function registerDeviceRequest(member: Member, deviceId: number): FormRequest {
  const base64 = (bytes: number) => Buffer.alloc(bytes, 0x31).toString("base64");
  return formRequest(member, "/api/v1/mobile_push/register", {
    device_id: String(deviceId),
    push_key_id: "1",
    push_key: base64(33),
    token_kind: "fcm",
    token_id: base64(8),
    bouncer_public_key: base64(32),
    encrypted_push_registration: base64(300),
  });
}

/**
 * Returns the sender and the form fields of message number `n`. Channels rotate, and the senders within each channel.
 */
function lineOf({ channels }: { readonly channels: readonly BenchChannel[] }, n: number) {
  const channel = channels[n % channels.length]!;
  const turn = Math.floor(n / channels.length);
  const sender = channel.members[turn % channel.members.length]!;
  const colleague = channel.members[(turn + 3) % channel.members.length]!;
  const fields = {
    type: "channel",
    to: String(channel.id),
    topic: `topic ${turn % 8}`,
    content: chatLine(n, colleague.name),
  };
  return { sender, fields };
}
