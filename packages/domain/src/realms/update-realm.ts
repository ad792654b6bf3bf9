import {
  type Account,
  type GroupSettingUpdates,
  changeGroupSettings,
  currentActor,
  loadRealm,
  loadSystemGroups,
  lockGroupGraph,
  lockOrganization,
  realmUpdatedEvents,
  recordAudit,
} from "@carillon/model";
import {
  errors,
  isAtLeast,
  isOwner,
  roles,
  type Permission,
  type RealmPermission,
  realmPermissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { sightByPermission } from "../sight/sight-events.ts";
import { recomputeFullMembers } from "../users/full-members.ts";
import { changeRealmProperties, type RealmProperties } from "./change-properties.ts";
import { changedPolicies } from "./changed-policies.ts";

export interface RealmChanges {
  readonly properties: RealmProperties;
  readonly settings: GroupSettingUpdates<"realm">;
}

/**
 * Changes the organization on behalf of an administrator (users.md §5, user-groups.md §3.2), and tells everybody what
 * is new of it. Another waiting period makes full members, or unmakes them, at once.
 * @returns what was changed, by its name on the wire, with its new value
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`, `EXPECTATION_MISMATCH`, `SYSTEM_GROUP_REQUIRED`; nothing
 *   has changed then
 */
export async function updateRealm(
  tx: Tx,
  actor: Account,
  { properties, settings }: RealmChanges,
): Promise<Readonly<Record<string, unknown>>> {
  const [, , now, realm, groups] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    lockOrganization(tx, actor.realmId),
    currentActor(tx, actor),
    loadRealm(tx, actor.realmId),
    loadSystemGroups(tx, actor.realmId),
  ]);
  checkMayChange(now, settings);
  const changedProperties = await changeRealmProperties(tx, realm.id, properties);
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
  const sight =
    after.restrictsGuests === realm.restrictsGuests
      ? []
      : await sightByPermission(tx, realm.id, after.restrictsGuests ? "lost" : "gained");
  emit(tx, realm.id, [
    ...realmUpdatedEvents(data),
    ...changedPolicies(realm, after, groups),
    ...members,
    ...sight,
  ]);
  return data;
}

/** @throws ApiError `UNAUTHORIZED_PRINCIPAL` */
function checkMayChange(actor: Account, settings: RealmChanges["settings"]): void {
  if (!isAtLeast(actor, roles.administrator))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  for (const [key, permission] of Object.entries<Permission>(realmPermissions))
    if (settings[key as RealmPermission] && permission.ownersOnly && !isOwner(actor))
      throw errors.unauthorizedPrincipal(`Only owners can change ${permission.name}`);
}
