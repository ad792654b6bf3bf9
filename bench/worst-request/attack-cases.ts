import type { Member } from "../lib/world.ts";
import { size, type Crowded } from "./crowded.ts";
import { type Case, form, get, post, raw } from "./requests.ts";
import type { RawRequest } from "./send.ts";
import { fill } from "./texts.ts";

const mebibyte = 2 ** 20;
/** Characters that a message may have. */
const maxLength = 10_000;
/** Characters that a channel's description may have. */
const maxDescriptionLength = 1_024;

/**
 * Returns attacks within the default rate limits, by one account or four: requests for costly stored data, answers that
 * the client does not read, and bodies that it does not finish.
 */
export function attackCases({ hall, drafter }: Crowded): readonly Case[] {
  const members = hall.members.slice(0, 4);
  const attacker = members[0]!;
  const cases: Case[] = [];
  /** Adds a case of `times` concurrent requests, by the members in rotation. */
  const atOnce = (
    name: string,
    times: number,
    request: (member: Member, round: number, n: number) => RawRequest,
    by: readonly Member[] = [attacker],
  ): void => {
    cases.push({
      name: times === 1 ? name : `${times} times ${name}, at once`,
      inTurn: false,
      requests: (round) =>
        Array.from({ length: times }, (_, n) => request(by[n % by.length]!, round, n)),
    });
  };
  const unread = (request: RawRequest): RawRequest => ({ ...request, halt: "unread" });
  const unfinished = (member: Member, announced: number, sent: number): RawRequest => ({
    ...raw(member, "/messages/flags", form, Buffer.from(`flag=${"x".repeat(sent)}`), "POST", {
      "content-length": String(announced),
    }),
    halt: "unfinished",
  });

  const page = `GET /messages, ${size.emoji} of 10,000 emoji with 1 MB of HTML each`;
  const pageOf = (member: Member) =>
    get(member, "/messages", {
      anchor: "newest",
      num_before: 5_000,
      num_after: 0,
      narrow: [{ operator: "channel", operand: hall.id }],
    });
  const head = (request: RawRequest): RawRequest => ({ ...request, method: "HEAD" });
  const encoded = (request: RawRequest, coding: string): RawRequest => ({
    ...request,
    headers: { ...request.headers, "accept-encoding": coding },
  });
  atOnce(page, 1, pageOf);
  atOnce(`${page}, by four members`, 4, pageOf, members);
  atOnce(`${page}, unread`, 75, (member) => unread(pageOf(member)));
  atOnce(`${page}, as br`, 1, (member) => encoded(pageOf(member), "br"));
  atOnce(page.replace("GET", "HEAD"), 1, (member) => head(pageOf(member)));
  atOnce("HEAD /users of 10,000", 10, (member) => head(get(member, "/users")));
  atOnce("POST /messages, 10,000 emoji", 10, (member) =>
    post(member, "/messages", {
      type: "channel",
      to: hall.id,
      topic: "sent",
      content: "😀".repeat(maxLength),
    }),
  );
  atOnce("POST /messages/render, 10,000 emoji", 40, (member) =>
    post(member, "/messages/render", { content: "😀".repeat(maxLength) }),
  );

  const drafts = `${size.drafts} drafts of 10,000 characters`;
  atOnce(`GET /drafts, ${drafts}`, 1, () => get(drafter, "/drafts"));
  atOnce(`GET /drafts, ${drafts}, unread`, 110, () => unread(get(drafter, "/drafts")));
  atOnce(`POST /register, ${drafts}`, 1, () =>
    post(drafter, "/register", { event_types: ["drafts"] }),
  );
  atOnce(`POST /register, ${drafts}, unread`, 75, () =>
    unread(post(drafter, "/register", { event_types: ["drafts"] })),
  );
  atOnce("POST /drafts, 80 of 10,000 characters of three bytes", 1, (member) =>
    post(member, "/drafts", {
      drafts: Array.from({ length: 80 }, (_, n) => ({
        type: "stream",
        to: [hall.id],
        topic: `t${n}`,
        content: fill("€", maxLength),
      })),
    }),
  );

  atOnce("a body of 25 MB that stops before the end", 40, (member) =>
    unfinished(member, 25 * mebibyte, 24 * mebibyte),
  );
  atOnce(
    "a body of 2 MB that stops before the end, by four members",
    200,
    (member) => unfinished(member, 2 * mebibyte, 1.9 * mebibyte),
    members,
  );
  atOnce("POST /register, everything, unread", 75, (member) =>
    unread(post(member, "/register", {})),
  );
  atOnce(
    "POST /register, everything, by four members",
    8,
    (member) => post(member, "/register", {}),
    members,
  );
  atOnce("a new channel with a description of 1,024 emoji", 10, (member, round, n) =>
    post(member, "/users/me/subscriptions", {
      subscriptions: [
        { name: `described ${round}.${n}`, description: "😀".repeat(maxDescriptionLength) },
      ],
    }),
  );
  return cases;
}
