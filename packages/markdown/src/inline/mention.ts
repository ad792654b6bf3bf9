import { add, type Cursor } from "./cursor.ts";

const MENTION = /@(_?)(?:\*\*([^*\n]+)\*\*|\*([^*\n]+)\*)/y;
const WITH_ID = /^(.*)\|(\d{1,10})$/;
const CHANNEL_WILDCARDS: ReadonlySet<string> = new Set(["all", "everyone", "channel", "stream"]);
const MAY_STAND_BEFORE = /[\s'"({[/<]/;

/** Parses `@**Name**`, `@**Name|ID**`, `@**|ID**`, `@*group*`, wildcards, and their silent forms (rendering.md §4). */
export function mention(cursor: Cursor, at: number, end: number): number {
  const { source, context } = cursor;
  if (at > 0 && !MAY_STAND_BEFORE.test(source.charAt(at - 1))) return at;
  MENTION.lastIndex = at;
  const match = MENTION.exec(source);
  if (match === null || MENTION.lastIndex > end) return at;
  const after = MENTION.lastIndex;
  const silent = match[1] === "_" || cursor.quoted;
  const [, , name, groupName] = match;
  if (groupName !== undefined) {
    const group = { kind: "group", name: groupName } as const;
    if (!context.accepts(group)) return at;
    add(cursor, { kind: "group-mention", group, silent, source: match[0] }, at, after);
  } else if (name === undefined) {
    return at;
  } else if (CHANNEL_WILDCARDS.has(name)) {
    if (!silent) context.noteWildcard("channel");
    add(cursor, { kind: "channel-wildcard", name, silent, source: match[0] }, at, after);
  } else if (name === "topic") {
    if (!silent) context.noteWildcard("topic");
    add(cursor, { kind: "topic-wildcard", silent, source: match[0] }, at, after);
  } else {
    const withId = WITH_ID.exec(name);
    const user = {
      kind: "user",
      name: withId?.[1] ?? name,
      id: withId === null ? undefined : Number(withId[2]),
    } as const;
    if (!context.accepts(user)) return at;
    add(cursor, { kind: "user-mention", user, silent, source: match[0] }, at, after);
  }
  return after;
}
