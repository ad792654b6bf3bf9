import type { SendMessageParams } from "./generated/api.ts";

/** Recipients of a message. */
export type Recipients = Pick<SendMessageParams, "type" | "to" | "topic">;

/** The fields of a message that name its channel and topic, or its participants. */
interface Placed {
  readonly type: "stream" | "private";
  readonly stream_id?: number | undefined;
  readonly subject: string;
  readonly display_recipient: string | readonly { readonly id: number }[];
}

/** Returns the recipients of an answer to a message: its channel and topic, or everyone in its direct conversation. */
export function replyTo({ type, stream_id, subject, display_recipient }: Placed): Recipients {
  if (type === "stream" || typeof display_recipient === "string")
    return { type: "channel", to: stream_id ?? 0, topic: subject };
  return { type: "direct", to: display_recipient.map(({ id }) => id) };
}
