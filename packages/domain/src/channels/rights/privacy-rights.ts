import { errors } from "@carillon/contract";

import { holdsOfRealm, type Holder } from "./holder.ts";

/**
 * Who may have private channels, and who others (channels.md §4.6): new ones, and those that become such.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMayHave(holder: Holder, kind: "private" | "public"): void {
  const permission =
    kind === "private" ? "canCreatePrivateChannelGroup" : "canCreatePublicChannelGroup";
  if (!holdsOfRealm(holder, permission))
    throw errors.badRequest(`You may not make ${kind} channels`);
}

/**
 * Who may have channels that the web sees (channels.md §4.8).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMayHaveWebPublic(holder: Holder): void {
  if (!holder.realm.enableSpectatorAccess)
    throw errors.badRequest("The organization has no web-public channels");
  if (!holdsOfRealm(holder, "canCreateWebPublicChannelGroup"))
    throw errors.badRequest("You may not make web-public channels");
}

/**
 * A history that later subscribers do not see cannot have topics that only some may begin (channels.md §4.11).
 * @param canCreateTopicGroup what the permission is to be set to, in canonical form
 * @throws ApiError `BAD_REQUEST` that names both
 */
export function checkTopicsOfProtectedHistory(
  canCreateTopicGroup: unknown,
  everyoneId: number,
): void {
  if (canCreateTopicGroup === everyoneId) return;
  throw errors.badRequest(
    "A channel with protected history needs can_create_topic_group to be role:everyone",
    { parameters: "history_public_to_subscribers, can_create_topic_group" },
  );
}
