import type { ChannelReference, GroupReference, Reference, UserReference } from "./document.ts";
import type { InlineContext } from "./inline/cursor.ts";
import type { TextLinkifiers } from "./linkifiers/linkifiers.ts";
import type { LinkableChannel, Lookups, MentionableGroup, MentionableUser } from "./types.ts";

/** Resolves a user reference; an ID must match the name given with it (rendering.md §4). */
export function resolveUser(
  reference: UserReference,
  lookups: Lookups,
): MentionableUser | undefined {
  const name = lookups.fold(reference.name);
  if (reference.id === undefined)
    return preferred(lookups.usersByName.get(name), (u) => u.isActive);
  const user = lookups.usersById.get(reference.id);
  return user && (name === "" || lookups.fold(user.fullName) === name) ? user : undefined;
}

/** Resolves a group reference; of several that differ only in case, the exact spelling wins. */
export function resolveGroup(
  reference: GroupReference,
  lookups: Lookups,
): MentionableGroup | undefined {
  const groups = lookups.groupsByName.get(lookups.fold(reference.name));
  const exact = groups?.find((group) => group.name === reference.name);
  return exact ?? preferred(groups, (group) => !group.deactivated);
}

/** Resolves a channel reference by its exact name. */
export function resolveChannel(
  reference: ChannelReference,
  lookups: Lookups,
): LinkableChannel | undefined {
  return lookups.channelsByName.get(reference.channel);
}

/** Whether a reference resolves. */
export function resolves(reference: Reference, lookups: Lookups): boolean {
  if (reference.kind === "user") return resolveUser(reference, lookups) !== undefined;
  if (reference.kind === "group") return resolveGroup(reference, lookups) !== undefined;
  return resolveChannel(reference, lookups) !== undefined;
}

/** Makes the context for parsing a text again with real lookups. */
export function knownContext(
  lookups: Lookups,
  linkifiers: TextLinkifiers,
  translateEmoticons: boolean,
): InlineContext {
  return {
    translateEmoticons,
    accepts: (reference) => resolves(reference, lookups),
    hasCustomEmoji: (name) => lookups.customEmoji.has(name),
    noteWildcard: () => {},
    linkify: (source, taken) => linkifiers.find(source, taken),
  };
}

/** Cache of the preferred entry of a list: a text may mention one name thousands of times, and thousands may share it. */
const preferences = new WeakMap<readonly object[], object | undefined>();

/** Returns the preferred entry with the lowest ID, else the entry with the lowest ID. Cached by list. */
function preferred<T extends { readonly id: number }>(
  candidates: readonly T[] | undefined,
  isPreferred: (candidate: T) => boolean,
): T | undefined {
  if (candidates === undefined) return undefined;
  if (!preferences.has(candidates)) {
    const byId = candidates.toSorted((a, b) => a.id - b.id);
    preferences.set(candidates, byId.find(isPreferred) ?? byId[0]);
  }
  return preferences.get(candidates) as T | undefined;
}
