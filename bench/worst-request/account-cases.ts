import type { Member } from "../lib/world.ts";
import type { Crowded } from "./crowded.ts";
import { type Case, get, post } from "./requests.ts";
import type { RawRequest } from "./send.ts";

/** Returns requests that store data of one account, and settings that administrators change for 10,000 accounts. */
export function accountCases({ channel, crowd, bot }: Crowded): readonly Case[] {
  const [owner, eve] = channel.members as [Member, Member];
  const one = (name: string, request: (round: number) => RawRequest): Case => ({
    name,
    inTurn: false,
    requests: (round) => [request(round)],
  });
  const words = (round: number) =>
    Array.from({ length: 3_000 }, (_, n) => `word ${round} of ${n} ${"x".repeat(70)}`);
  const millions = 9_990_000;
  return [
    one("PUT /bot_storage, one entry of 9,990,000 characters", () =>
      post(bot, "/bot_storage", { storage: { much: "x".repeat(millions) } }, "PUT"),
    ),
    one("PUT /bot_storage, one entry of 9,990,000 characters of three bytes", () =>
      post(bot, "/bot_storage", { storage: { much: "€".repeat(millions) } }, "PUT"),
    ),
    one("GET /bot_storage, 9,990,000 characters", () => get(bot, "/bot_storage")),
    one("PUT /bot_storage, 100,000 entries", () =>
      post(
        bot,
        "/bot_storage",
        {
          storage: Object.fromEntries([
            ["much", ""],
            ...Array.from({ length: 99_999 }, (_, n) => [`k${n}`, "v"]),
          ]),
        },
        "PUT",
      ),
    ),
    one("GET /bot_storage, 100,000 entries", () => get(bot, "/bot_storage")),
    one("DELETE /bot_storage, 100,000 entries", () => post(bot, "/bot_storage", {}, "DELETE")),
    one("POST /users/me/alert_words, 3,000 words", (round) =>
      post(eve, "/users/me/alert_words", { alert_words: words(round) }),
    ),
    one("POST /messages after 9,000 alert words", () =>
      post(owner, "/messages", {
        type: "channel",
        to: channel.id,
        topic: "t",
        content: "word 1 of 1 ".repeat(830),
      }),
    ),
    one("POST /realm/filters, a pattern of 10,000 characters", () =>
      post(owner, "/realm/filters", {
        pattern: `(?P<id>${"(a|b?)*".repeat(1_400)})`,
        url_template: "https://example.com/{id}",
      }),
    ),
    one("POST /realm/profile_fields, a list of 3,000 choices", (round) =>
      post(owner, "/realm/profile_fields", {
        name: `choice ${round}`,
        field_type: 3,
        field_data: Object.fromEntries(
          Array.from({ length: 3_000 }, (_, n) => [n, { text: `choice ${n}`, order: String(n) }]),
        ),
      }),
    ),
    one("PATCH /users/me/profile_data, a value of 8 MB", () =>
      post(
        eve,
        "/users/me/profile_data",
        { data: [{ id: 1, value: "*a ".repeat(2_700_000) }] },
        "PATCH",
      ),
    ),
    one("GET /users of 10,000, with custom profile fields", () =>
      get(eve, "/users", { include_custom_profile_fields: true }),
    ),
    one("PATCH /realm/user_settings_defaults, a value of 8 MB", () =>
      post(
        owner,
        "/realm/user_settings_defaults",
        { notification_sound: "z".repeat(8_000_000) },
        "PATCH",
      ),
    ),
    one("PATCH /users/{id}, a name of 8 MB", () =>
      post(owner, `/users/${crowd[0]!.id}`, { full_name: "é".repeat(4_000_000) }, "PATCH"),
    ),
  ];
}
