import {
  errors,
  isAtLeast,
  isOwner,
  type LoggedFields,
  namedOrganizationSettings,
  type NewEvent,
  type OrganizationSettingChanges,
  type Permission,
  type RealmPermission,
  realmPermissions,
  type realmUpdated,
  roles,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  changeGroupSettings,
  currentActor,
  type GroupSettingUpdates,
  legacyPolicies,
  loadOrganizationSettings,
  loadRealm,
  loadSystemGroups,
  lockGroupGraph,
  lockOrganization,
  type Realm,
  realmPolicyEvent,
  realmUpdatedEvents,
  recordAudit,
  storeOrganizationSettings,
  type SystemGroupIds,
  loadAfter,
} from "@carillon/model";

import { visibilityByPermission } from "../user-visibility/visibility-events.ts";
import { recomputeFullMembers } from "../users/promote-members.ts";

interface RealmChanges {
  readonly properties: OrganizationSettingChanges;
  readonly settings: GroupSettingUpdates<"realm">;
}

/**
 * Changes the organization for an administrator (users.md §5, user-groups.md §3.2), and sends the changes to all users.
 * A new waiting period adds and removes full members immediately.
 * @returns the changed properties by wire name, with their new values
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`, `EXPECTATION_MISMATCH`, `SYSTEM_GROUP_REQUIRED`; nothing
 * has changed then
 */
export async function updateRealm(
  tx: Tx,
  actor: Account,
  { properties, settings }: RealmChanges,
): Promise<Readonly<Record<string, unknown>>> {
  const { now, realm, groups } = await loadAfter(
    [lockGroupGraph(tx, actor.realmId), lockOrganization(tx, actor.realmId)],
    {
      now: currentActor(tx, actor),
      realm: loadRealm(tx, actor.realmId),
      groups: loadSystemGroups(tx, actor.realmId),
    },
  );
  assertCanChange(now, { properties, settings });
  const changedProperties = await changeOrganizationSettings(tx, realm.id, properties);
  const owner = { scope: "realm", ...realm } as const;
  const changedSettings = await changeGroupSettings(tx, realm.id, owner, settings, {
    systemGroups: groups,
  });
  const changed = [...changedProperties, ...changedSettings];
  if (changed.length === 0) return {};
  const data = Object.fromEntries(changed.map(({ name, value }) => [name, value]));
  const { waiting_period_threshold: days } = data;
  const members =
    typeof days === "number"
      ? await recomputeFullMembers(tx, realm.id, groups["role:fullmembers"], days, { both: true })
      : [];
  recordAudit(
    tx,
    realm.id,
    actor.id,
    changed.map(({ name, before, value }) => ({
      type: "realm_setting_changed",
      data: { setting: name, old: before, new: value },
    })),
  );
  const after = changedSettings.length > 0 ? await loadRealm(tx, realm.id) : realm;
  const visibilityEvents =
    after.restrictsGuests === realm.restrictsGuests
      ? []
      : await visibilityByPermission(tx, realm.id, after.restrictsGuests ? "lost" : "gained");
  emit(tx, realm.id, [
    ...realmUpdatedEvents(data),
    ...changedPolicies(realm, after, groups),
    ...members,
    ...visibilityEvents,
  ]);
  return data;
}

/** @throws ApiError `UNAUTHORIZED_PRINCIPAL` */
function assertCanChange(actor: Account, { properties, settings }: RealmChanges): void {
  if (!isAtLeast(actor, roles.administrator))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  for (const [key, permission] of Object.entries<Permission>(realmPermissions))
    if (settings[key as RealmPermission] && permission.ownersOnly && !isOwner(actor))
      throw errors.unauthorizedPrincipal(`Only owners can change ${permission.name}`);
  for (const [name, setting] of namedOrganizationSettings)
    if (properties[name] !== undefined && setting.ownersOnly && !isOwner(actor))
      throw errors.unauthorizedPrincipal(`Only owners can change ${name}`);
}

/**
 * Stores the settings that differ from the current ones. The organization's row must be locked.
 * @returns the changed ones
 */
async function changeOrganizationSettings(
  tx: Tx,
  realmId: number,
  wanted: OrganizationSettingChanges,
): Promise<ChangedSetting[]> {
  if (Object.values(wanted).every((value) => value === undefined)) return [];
  const stored = await loadOrganizationSettings(tx, realmId);
  const changed = namedOrganizationSettings.flatMap(([name]) => {
    const [value, before] = [wanted[name], stored[name]];
    return value === undefined || value === before ? [] : [{ name, before, value }];
  });
  const values = Object.fromEntries(changed.map(({ name, value }) => [name, value]));
  if (changed.length > 0) await storeOrganizationSettings(tx, realmId, values);
  return changed;
}

/**
 * Makes the events of changed permissions for older clients: the numeric policies of their snapshot, which no other
 * event contains (events.md §4).
 * @param before the organization before the change
 * @param after the organization after the change, in the same transaction
 */
function changedPolicies(
  before: Pick<Realm, "groups">,
  after: Pick<Realm, "groups">,
  groups: SystemGroupIds,
): NewEvent[] {
  const old = legacyPolicies(before, groups);
  return Object.entries(legacyPolicies(after, groups))
    .filter(([property, value]) => value !== old[property])
    .map(([property, value]) => realmPolicyEvent(property, value));
}

type RealmSettingValue = LoggedFields<typeof realmUpdated>["data"][string];

/** A changed setting of an organization. */
interface ChangedSetting {
  /** Name in the wire format. */
  readonly name: string;
  readonly before: unknown;
  readonly value: RealmSettingValue;
}
