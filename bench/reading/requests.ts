import type { History } from "../lib/history/history.ts";
import { credentials, type FormRequest } from "../lib/requests.ts";
import type { Member } from "../lib/world.ts";

type Fields = Readonly<Record<string, string>>;

/** Builds a `GET /messages` request of a member. */
export function readRequest(member: Member, fields: Fields): FormRequest {
  const query = new URLSearchParams(fields).toString();
  const headers = { authorization: credentials(member) };
  return { method: "GET", path: `/api/v1/messages?${query}`, headers, body: "" };
}

/** Builds a request for the newest messages of a channel. */
export function newest(member: Member, channelId: number, count: number): FormRequest {
  return readRequest(member, {
    anchor: "newest",
    num_before: String(count),
    num_after: "0",
    narrow: JSON.stringify([{ operator: "channel", operand: channelId }]),
  });
}

/** Builds requests of each subscriber for the 100 newest messages of the busy channels. */
export function busyRequests({ busy, members }: History): FormRequest[] {
  const byId = new Map(members.map((member) => [member.id, member]));
  return busy.flatMap(({ id, subscribers }) =>
    subscribers.map((userId) => newest(byId.get(userId)!, id, 100)),
  );
}

/** Builds other requests of the first member, who is subscribed to every channel, by kind. */
export function otherRequests(
  { members, busy }: History,
  { ids, colleagues }: { readonly ids: readonly number[]; readonly colleagues: readonly number[] },
): Record<string, FormRequest> {
  const reader = members[0]!;
  const channel = busy[0]!;
  const window = { num_before: "100", num_after: "0", anchor: "newest" };
  const narrowed = (...terms: ReadonlyArray<readonly [string, unknown]>): FormRequest =>
    readRequest(reader, {
      ...window,
      narrow: JSON.stringify(terms.map(([operator, operand]) => ({ operator, operand }))),
    });
  return {
    "around first_unread": readRequest(reader, {
      anchor: "first_unread",
      num_before: "50",
      num_after: "49",
    }),
    "is:mentioned": narrowed(["is", "mentioned"]),
    "is:starred": narrowed(["is", "starred"]),
    "channel and topic": narrowed(["channel", channel.id], ["topic", "daily notes"]),
    "topic alone": narrowed(["topic", "daily notes"]),
    "is:dm": narrowed(["is", "dm"]),
    dm: narrowed(["dm", colleagues]),
    "1,000 message_ids": readRequest(reader, { message_ids: JSON.stringify(ids) }),
  };
}
