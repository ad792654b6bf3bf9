import type { GroupReference, UserReference } from "./document.ts";
import { escapeText } from "./escape.ts";
import { groupMentionHtml, userMentionHtml } from "./names-html.ts";
import { resolveGroup, resolveUser } from "./resolve.ts";
import type { Rendering } from "./rendering.ts";

/** A user as stored; deactivated ones are never mentioned loudly (rendering.md §4). */
export function userMention(
  reference: UserReference,
  silent: boolean,
  rendering: Rendering,
): string {
  const user = resolveUser(reference, rendering.lookups);
  if (user === undefined) return escapeText(`@**${reference.name}**`);
  if (silent || !user.isActive) return userMentionHtml(user, true);
  rendering.userIds.add(user.id);
  return userMentionHtml(user, false);
}

/** A group as stored, a system group by its display name; deactivated ones are silent. */
export function groupMention(
  reference: GroupReference,
  silent: boolean,
  rendering: Rendering,
): string {
  const group = resolveGroup(reference, rendering.lookups);
  if (group === undefined) return escapeText(`@*${reference.name}*`);
  const shown = { id: group.id, name: group.isSystemGroup ? group.displayName : group.name };
  if (silent || group.deactivated) return groupMentionHtml(shown, true);
  rendering.groupIds.add(group.id);
  return groupMentionHtml(shown, false);
}
