import { Linkifiers } from "../linkifiers/linkifiers.ts";
import { emptyLookups } from "../lookups.ts";
import { parseMessage, type ParseOptions } from "../parse-message.ts";
import { renderMessage } from "../render-message.ts";
import type { Lookups, MentionableGroup, MentionableUser, RenderedMessage } from "../types.ts";

const users: readonly MentionableUser[] = [
  { id: 5, fullName: "Ada Lovelace", isActive: true },
  { id: 6, fullName: "Grace <Hopper>", isActive: true },
  { id: 7, fullName: "Gone Guy", isActive: false },
  { id: 8, fullName: "Sam Twin", isActive: false },
  { id: 9, fullName: "Sam Twin", isActive: true },
];

const groups: readonly MentionableGroup[] = [
  group(21, "backend", {}),
  group(22, "Backend", {}),
  group(23, "old team", { deactivated: true }),
  group(24, "role:administrators", { displayName: "Administrators", isSystemGroup: true }),
];

function group(id: number, name: string, rest: Partial<MentionableGroup>): MentionableGroup {
  return { id, name, displayName: name, deactivated: false, isSystemGroup: false, ...rest };
}

function byName<T>(all: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const names = new Map<string, T[]>();
  for (const one of all) {
    const name = nameOf(one).toLowerCase();
    names.set(name, [...(names.get(name) ?? []), one]);
  }
  return names;
}

/** A small organization for the tests of this package. */
export const lookups: Lookups = {
  ...emptyLookups,
  usersByName: byName(users, (user) => user.fullName),
  usersById: new Map(users.map((user) => [user.id, user])),
  groupsByName: byName(groups, (one) => one.name),
  channelsByName: new Map([
    ["name", { id: 9, name: "name" }],
    ["a.b (c) *", { id: 10, name: "a.b (c) *" }],
    ["design review", { id: 11, name: "design review" }],
  ]),
  newestMessageOfTopic: (channelId, topic) =>
    channelId === 9 && (topic === "topic" || topic === "") ? 214 : undefined,
  organizationUrl: "https://chat.example.com",
  linkifiers: new Linkifiers([
    { pattern: "TK-(?P<id>[0-9]+)", urlTemplate: "https://tickets.example/{id}" },
    { pattern: "(?P<what>run .+ now)", urlTemplate: "/run{?what}" },
  ]),
  customEmoji: new Map([["party_parrot", { url: "/user_avatars/2/emoji/images/1.gif" }]]),
};

/** Runs both rendering phases in the organization above. */
export function render(content: string, options: ParseOptions = {}): RenderedMessage {
  return renderMessage(parseMessage(content, options), lookups);
}

/** Renders `content` to HTML in the organization above. */
export function html(content: string, options: ParseOptions = {}): string {
  return render(content, options).html;
}
