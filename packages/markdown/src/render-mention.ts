import type { Inline } from "./document.ts";
import { escapeText } from "./escape.ts";
import { groupMentionHtml, userMentionHtml } from "./names-html.ts";
import { resolveGroup, resolveUser } from "./resolve.ts";
import { takeMarkup, type Rendering } from "./rendering.ts";

type Mention<Kind extends Inline["kind"]> = Extract<Inline, { readonly kind: Kind }>;

/** Renders a user mention; deactivated users are never mentioned loudly (rendering.md §4). */
export function userMention(
  { user: reference, silent, source }: Mention<"user-mention">,
  rendering: Rendering,
): string {
  const user = resolveUser(reference, rendering.lookups);
  if (user === undefined) return escapeText(`@**${reference.name}**`);
  const isSilent = silent || !user.isActive;
  const html = userMentionHtml(user, isSilent);
  if (!takeMarkup(rendering, html.length, source.length)) return escapeText(source);
  if (!isSilent) rendering.userIds.add(user.id);
  return html;
}

/** Renders a group mention, of a system group by its display name; deactivated groups are silent. */
export function groupMention(
  { group: reference, silent, source }: Mention<"group-mention">,
  rendering: Rendering,
): string {
  const group = resolveGroup(reference, rendering.lookups);
  if (group === undefined) return escapeText(`@*${reference.name}*`);
  const shown = { id: group.id, name: group.isSystemGroup ? group.displayName : group.name };
  const isSilent = silent || group.deactivated;
  const html = groupMentionHtml(shown, isSilent);
  if (!takeMarkup(rendering, html.length, source.length)) return escapeText(source);
  if (!isSilent) rendering.groupIds.add(group.id);
  return html;
}
