import { type Realm, type SystemGroupIds, legacyPolicies, realmPolicyEvent } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";

/**
 * What older clients are told when permissions of an organization have changed: the numbers that their snapshot has
 * beside these, and that no other event tells (events.md §4).
 * @param before the organization as it was
 * @param after as it is in the same transaction
 */
export function changedPolicies(
  before: Pick<Realm, "groups">,
  after: Pick<Realm, "groups">,
  groups: SystemGroupIds,
): NewEvent[] {
  const old = legacyPolicies(before, groups);
  return Object.entries(legacyPolicies(after, groups))
    .filter(([property, value]) => value !== old[property])
    .map(([property, value]) => realmPolicyEvent(property, value));
}
