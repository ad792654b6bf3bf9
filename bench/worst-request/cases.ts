import { gzipSync } from "node:zlib";
import type { Member } from "../lib/world.ts";
import { accountCases } from "./account-cases.ts";
import { attackCases } from "./attack-cases.ts";
import { size, type Crowded } from "./crowded.ts";
import { messageCases } from "./message-cases.ts";
import { type Case, form, get, multipart, post, raw } from "./requests.ts";
import type { RawRequest } from "./send.ts";
import { fill, growing, worstTexts } from "./texts.ts";

const megabyte = 1_000_000;
/** Characters that a message may have. */
const maxLength = 10_000;

/** Returns all cases, each named after its request. */
export function worstCases(crowded: Crowded): readonly Case[] {
  const { channel, crowd, wordy, patient, history } = crowded;
  const [owner, eve] = channel.members as [Member, Member];
  const cases: Case[] = [];
  const add = (
    name: string,
    requests: (round: number) => RawRequest | readonly RawRequest[],
  ): void => {
    cases.push({ name, inTurn: false, requests: (round) => [requests(round)].flat() });
  };
  const inTurn = (name: string, requests: () => readonly RawRequest[]): void => {
    cases.push({ name, inTurn: true, requests });
  };

  const marks = `a${"\u0301\u0316".repeat(40_000)}`;
  for (const [what, password] of [
    ["a and 80,000 marks", marks],
    ["800 KB", "x".repeat(800_000)],
  ] as const) {
    add(`POST /fetch_api_key, password of ${what}`, () =>
      post(undefined, "/fetch_api_key", { username: eve.email, password }),
    );
    add(`PATCH /settings, old_password of ${what}`, () =>
      post(
        eve,
        "/settings",
        { old_password: password, new_password: "another one entirely 3" },
        "PATCH",
      ),
    );
  }

  const bodies: readonly [string, string][] = [
    ["8,000,000 pluses", "+".repeat(8 * megabyte)],
    ["24 MB of pluses", "+".repeat(24 * megabyte)],
    ["24 MB of percent-escapes", "%41".repeat(8 * megabyte)],
    ["24 MB of broken percent-escapes", "%zz".repeat(8 * megabyte)],
    ["24 MB of percent-escapes beyond ASCII", "%E2%82%AC".repeat(2_666_666)],
    ["24 MB of ampersands", "&".repeat(24 * megabyte)],
    ["24 MB of equals signs", "=".repeat(24 * megabyte)],
  ];
  for (const [what, text] of bodies) {
    add(`a form of ${what}, with credentials`, () =>
      raw(eve, "/messages", form, Buffer.from(`content=${text}`)),
    );
  }
  add("a form of 24 MB of pluses, without credentials", () =>
    raw(undefined, "/fetch_api_key", form, Buffer.from(`password=${bodies[1]![1]}`)),
  );
  const bomb = gzipSync(Buffer.alloc(500 * megabyte, "+"));
  for (const member of [eve, undefined])
    add(
      `500 MB of pluses in ${Math.round(bomb.length / 1_000)} KB of gzip, ${member ? "with" : "without"} credentials`,
      () =>
        raw(member, member ? "/messages" : "/fetch_api_key", form, bomb, "POST", {
          "content-encoding": "gzip",
        }),
    );
  add("1,000 fields", () =>
    post(
      eve,
      "/messages",
      Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, "x"])),
    ),
  );
  const numbers = `[${Array.from({ length: 3_000_000 }, (_, n) => 1_000_000 + n).join()}]`;
  for (const [path, name, others] of [
    ["/messages", "to", "type=direct&content=a&"],
    ["/register", "event_types", ""],
    ["/users/me/subscriptions", "principals", 'subscriptions=[{"name":"one of many 1"}]&'],
  ] as const)
    add(`JSON of 24 MB, a list of numbers, POST ${path}, ${name}`, () =>
      raw(eve, path, form, Buffer.from(`${others}${name}=${numbers}`)),
    );
  for (const [path, name] of [
    ["/register", "event_types"],
    ["/users/me/subscriptions", "subscriptions"],
  ] as const)
    add(`JSON of 24 MB, nested, POST ${path}, ${name}`, () =>
      raw(eve, path, form, Buffer.from(`${name}=${"[".repeat(24 * megabyte)}`)),
    );
  add("JSON of 12 MB, nested and closed, POST /register, event_types", () =>
    post(eve, "/register", { event_types: "[".repeat(2 * megabyte) + "]".repeat(2 * megabyte) }),
  );
  add("JSON of 10 MB, objects in a narrow", () =>
    post(eve, "/register", {
      narrow: Array.from({ length: 200_000 }, () => ({ operator: "channel", operand: "x" })),
    }),
  );

  const render = (content: string) => post(eve, "/messages/render", { content });
  add("POST /messages/render, 400 KB of unique names of emoji", () =>
    render(growing((n) => `:e${n}:`, 400_000)),
  );
  add("ten times POST /messages/render, 10,000 emoji, at once", () =>
    Array.from({ length: 10 }, () => render("😀".repeat(10_000))),
  );
  add("POST /messages/render, multipart of 20 MB", () =>
    multipart(eve, "/messages/render", "content", fill("*a :b: ", 20 * megabyte)),
  );
  for (const name of ["stars", "domains", "lines of a list"])
    add(`POST /messages/render, 2 MB of ${name}`, () => render(worstTexts[name]!(2 * megabyte)));
  for (const path of ["/messages", "/scheduled_messages"])
    add(`POST ${path}, 10 MB of white space and stars`, (round) =>
      post(eve, path, {
        type: "channel",
        to: channel.id,
        topic: `t${" ".repeat(megabyte)}${round}`,
        content: `a${" \n*".repeat(3 * megabyte)}`,
        scheduled_delivery_timestamp: String(later()),
      }),
    );
  for (const [name, text] of Object.entries(worstTexts)) {
    const content = text(maxLength);
    const message = { type: "channel", to: channel.id, topic: "t", content };
    inTurn(`10,000 code points rendered, scheduled and sent, ${name}`, () => [
      render(content),
      post(eve, "/scheduled_messages", {
        ...message,
        scheduled_delivery_timestamp: String(later()),
      }),
      post(eve, "/messages", { type: "direct", to: [eve.id], content }),
    ]);
  }

  const channels = (count: number, round: number, part = 0) =>
    Array.from({ length: count }, (_, n) => ({ name: `made ${round}.${part}.${n}` }));
  const subscribeTo = (subscriptions: readonly object[], more: object = {}) =>
    post(owner, "/users/me/subscriptions", { subscriptions, ...more });
  add("subscribing to 1,500 new channels", (round) => subscribeTo(channels(1_500, round)));
  add("subscribing to 100 new channels", (round) => subscribeTo(channels(100, round, 1)));
  add("subscribing 500 accounts to 500 channels", (round) =>
    subscribeTo(
      Array.from({ length: 500 }, (_, n) => ({ name: `one of many ${round * 500 + n}` })),
      { principals: crowd.slice(0, 500).map(({ id }) => id) },
    ),
  );
  add("subscribing 20 accounts to 500 channels", (round) =>
    subscribeTo(
      Array.from({ length: 500 }, (_, n) => ({ name: `one of many ${round * 500 + n}` })),
      { principals: crowd.slice(0, 20).map(({ id }) => id) },
    ),
  );
  add("ten requests at once, each for 80 new channels", (round) =>
    Array.from({ length: 10 }, (_, n) => subscribeTo(channels(80, round, 2 + n))),
  );
  const addresses = crowd.map(({ email }) => email);
  add("subscribing 30,000 addresses", () =>
    subscribeTo([{ name: "one of many 3999" }], {
      principals: [
        ...addresses,
        ...addresses.map((one) => `a${one}`),
        ...addresses.map((one) => `b${one}`),
      ].slice(0, 30_000),
    }),
  );
  add("subscribing 10,000 addresses", (round) =>
    subscribeTo([{ name: `one of many ${3_900 + round}` }], {
      principals: addresses.slice(0, 9_900),
    }),
  );
  add("a user group of 10,000 members", (round) =>
    post(owner, "/user_groups/create", {
      name: `all ${round}`,
      description: "",
      members: crowd.map(({ id }) => id),
    }),
  );

  add("GET /scheduled_messages, 600 of 10 KB", () => get(wordy, "/scheduled_messages"));
  add("GET /scheduled_messages, 10,000", () => get(patient, "/scheduled_messages"));
  for (const member of [wordy, patient, eve])
    add(
      `POST /register, ${member === wordy ? "600 scheduled messages of 10 KB" : member === patient ? "10,000 scheduled messages" : "everything"}, of ${size.accounts} accounts and ${size.channels} channels`,
      () =>
        post(member, "/register", member === eve ? {} : { event_types: ["scheduled_messages"] }),
    );
  add("GET /users of 10,000", () => get(eve, "/users"));
  add("GET /streams of 4,000", () => get(eve, "/streams"));
  add("GET /messages, 5,000 ids, of 4 KB each", () =>
    get(eve, "/messages", { message_ids: history }),
  );
  add("GET /messages, 5,000 around an anchor, of 4 KB each", () =>
    get(eve, "/messages", {
      anchor: history[2_500],
      num_before: 2_500,
      num_after: 2_499,
      narrow: [{ operator: "channel", operand: channel.id }],
    }),
  );
  add("GET /messages, ten times 5,000 ids of 4 KB each, at once", () =>
    Array.from({ length: 10 }, () => get(eve, "/messages", { message_ids: history })),
  );
  for (const coding of ["gzip", "br"])
    add(`POST /register, everything, as ${coding}`, () => {
      const request = post(eve, "/register", {});
      return { ...request, headers: { ...request.headers, "accept-encoding": coding } };
    });
  for (const terms of [500, 100])
    add(`GET /messages, a narrow of ${terms} terms`, () =>
      get(eve, "/messages", {
        anchor: "newest",
        num_before: 100,
        num_after: 0,
        narrow: Array.from({ length: terms }, (_, n) => ({
          operator: "sender",
          operand: crowd[n]!.id,
          negated: true,
        })),
      }),
    );
  return [...cases, ...messageCases(crowded), ...accountCases(crowded), ...attackCases(crowded)];
}

function later(): number {
  return Math.floor(Date.now() / 1_000) + 86_400 * 20;
}
