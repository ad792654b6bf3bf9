import type { Member } from "../lib/world.ts";
import type { Crowded } from "./crowded.ts";
import { type Case, get, post } from "./requests.ts";
import type { RawRequest } from "./send.ts";

/** Returns requests that read or change existing messages: 5,000 messages of 4 KB with 20 receivers. */
export function messageCases({ channel, crowd, wordy, history }: Crowded): readonly Case[] {
  const [owner, eve] = channel.members as [Member, Member];
  const [first = 0] = history;
  const inChannel = { operator: "channel", operand: channel.id };
  const all = { anchor: "newest", num_before: 5_000, num_after: 0 };
  const one = (name: string, request: (round: number) => RawRequest): Case => ({
    name,
    inTurn: false,
    requests: (round) => [request(round)],
  });
  const search = (operand: string) => [inChannel, { operator: "search", operand }];
  return [
    one("GET /messages, a search with 5,000 results of 4 KB, each with 360 matches", () =>
      get(eve, "/messages", { ...all, narrow: search("words") }),
    ),
    one("GET /messages, a search for 40 words and 10 phrases", () =>
      get(eve, "/messages", {
        ...all,
        narrow: search(`${"long words ".repeat(15)}${'"long words" '.repeat(10)}`),
      }),
    ),
    one("GET /messages/matches_narrow, 5,000 messages", () =>
      get(eve, "/messages/matches_narrow", { msg_ids: history, narrow: search("words") }),
    ),
    one("POST /messages/flags, 5,000 messages starred or unstarred", (round) =>
      post(eve, "/messages/flags", {
        messages: history,
        op: round % 2 === 1 ? "add" : "remove",
        flag: "starred",
      }),
    ),
    one("POST /messages/flags/narrow, 5,000 messages marked as unread or read", (round) =>
      post(eve, "/messages/flags/narrow", {
        ...all,
        narrow: [inChannel],
        op: round % 2 === 1 ? "remove" : "add",
        flag: "read",
      }),
    ),
    one("POST /mark_all_as_read", () => post(wordy, "/mark_all_as_read", {})),
    one("PATCH /messages/{id}, a topic of 5,000 messages moved", (round) =>
      post(
        owner,
        `/messages/${first}`,
        { topic: `history ${round}`, propagate_mode: "change_all" },
        "PATCH",
      ),
    ),
    ...["change_one", "change_later"].map((mode) =>
      one(
        `PATCH /messages/{id}, the text of a message that is the first of 5,000, ${mode}`,
        (round) =>
          post(
            wordy,
            `/messages/${first}`,
            { content: `${round} ${"**edited** ".repeat(900)}`, propagate_mode: mode },
            "PATCH",
          ),
      ),
    ),
    one("POST /messages/{id}/reactions, in a channel of 10,000", (round) =>
      post(eve, `/messages/${first}/reactions`, {
        emoji_name: ["octopus", "tada", "heart", "smile"][round % 4],
      }),
    ),
    one("GET /messages/{id}/read_receipts", () => get(eve, `/messages/${first}/read_receipts`)),
    one("GET /messages/{id}/history", () => get(eve, `/messages/${first}/history`)),
    one("GET /users/me/{stream_id}/topics", () => get(crowd[0]!, `/users/me/${channel.id}/topics`)),
  ];
}
