import type { GroupReference, UserReference } from "./document.ts";
import { escapeText } from "./escape.ts";
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
  const name = escapeText(user.fullName);
  if (silent || !user.isActive) {
    return `<span class="user-mention silent" data-user-id="${user.id}">${name}</span>`;
  }
  rendering.userIds.add(user.id);
  return `<span class="user-mention" data-user-id="${user.id}">@${name}</span>`;
}

/** A group as stored, a system group by its display name; deactivated ones are silent. */
export function groupMention(
  reference: GroupReference,
  silent: boolean,
  rendering: Rendering,
): string {
  const group = resolveGroup(reference, rendering.lookups);
  if (group === undefined) return escapeText(`@*${reference.name}*`);
  const name = escapeText(group.isSystemGroup ? group.displayName : group.name);
  if (silent || group.deactivated) {
    return `<span class="user-group-mention silent" data-user-group-id="${group.id}">${name}</span>`;
  }
  rendering.groupIds.add(group.id);
  return `<span class="user-group-mention" data-user-group-id="${group.id}">@${name}</span>`;
}
