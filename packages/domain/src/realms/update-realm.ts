import {
  errors,
  isAtLeast,
  isOwner,
  type LoggedFields,
  legacySettings,
  namedOrganizationSettings,
  type NewEvent,
  type OrganizationSetting,
  type OrganizationSettingChanges,
  type OrganizationSettingValue,
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
  hasMetadataAccess,
  languageName,
  legacyPolicies,
  loadChannels,
  loadMemberships,
  loadOrganizationSettings,
  loadRealm,
  loadSubscribedChannels,
  loadSystemGroups,
  lockGroupGraph,
  lockOrganization,
  type Realm,
  realmPolicyEvent,
  realmUpdatedEvents,
  recordAudit,
  type Site,
  storeOrganizationSettings,
  type SystemGroupIds,
  loadAfter,
} from "@carillon/model";

import { assertHasDomains } from "./domains.ts";
import { changeMethods, methodFields } from "./authentication-methods.ts";
import { visibilityByPermission } from "../user-visibility/visibility-events.ts";
import { recomputeFullMembers } from "../users/promote-members.ts";

interface RealmChanges {
  /** By names on the wire. */
  readonly properties: OrganizationSettingChanges;
  /** Whether each method of logging in is on. */
  readonly authenticationMethods: Readonly<Record<string, boolean>> | undefined;
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
  site: Site,
  actor: Account,
  changes: RealmChanges,
): Promise<Readonly<Record<string, unknown>>> {
  const { properties, authenticationMethods, settings } = changes;
  const { now, realm, groups } = await loadAfter(
    [lockGroupGraph(tx, actor.realmId), lockOrganization(tx, actor.realmId)],
    {
      now: currentActor(tx, actor),
      realm: loadRealm(tx, actor.realmId),
      groups: loadSystemGroups(tx, actor.realmId),
    },
  );
  assertCanChange(now, changes);
  const changedProperties = await changeOrganizationSettings(tx, now, properties);
  const methods = await changeMethods(tx, site, realm, authenticationMethods);
  const owner = { scope: "realm", ...realm } as const;
  const changedSettings = await changeGroupSettings(tx, realm.id, owner, settings, {
    systemGroups: groups,
  });
  const plain = [...changedProperties, ...changedSettings];
  const values = Object.fromEntries(plain.map(({ name, value }) => [name, value]));
  const changed = methods
    ? [...plain, { name: "authentication_methods", before: methods.before, value: methods.after }]
    : plain;
  if (changed.length === 0) return {};
  const { waiting_period_threshold: days } = values;
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
    ...realmUpdatedEvents({
      ...values,
      ...legacySettings(values),
      ...(methods ? methodFields(methods.after) : {}),
    }),
    ...changedPolicies(realm, after, groups),
    ...members,
    ...visibilityEvents,
  ]);
  return Object.fromEntries(changed.map(({ name, value }) => [name, value]));
}

/**
 * Throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the actor may change all the given values: some are for owners only.
 */
function assertCanChange(
  actor: Account,
  { properties, authenticationMethods, settings }: RealmChanges,
): void {
  if (!isAtLeast(actor, roles.administrator))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  for (const [key, permission] of Object.entries<Permission>(realmPermissions))
    if (settings[key as RealmPermission] && permission.ownersOnly && !isOwner(actor))
      throw errors.unauthorizedPrincipal(`Only owners can change ${permission.name}`);
  if (authenticationMethods && !isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners can change authentication_methods");
  for (const [name, setting] of namedOrganizationSettings)
    if (properties[name] !== undefined && setting.ownersOnly && !isOwner(actor))
      throw errors.unauthorizedPrincipal(`Only owners can change ${name}`);
}

/**
 * Stores the settings that differ from the current ones. The organization's row must be locked.
 * @returns the changed ones
 * @throws ApiError `BAD_REQUEST`
 */
async function changeOrganizationSettings(
  tx: Tx,
  actor: Account,
  wanted: OrganizationSettingChanges,
): Promise<ChangedSetting[]> {
  if (Object.values(wanted).every((value) => value === undefined)) return [];
  const { realmId } = actor;
  const stored = await loadOrganizationSettings(tx, realmId);
  const changed = namedOrganizationSettings.flatMap(([name]) => {
    const [value, before] = [wanted[name], stored[name]];
    return value === undefined || value === before ? [] : [{ name, before, value }];
  });
  const values = Object.fromEntries(changed.map(({ name, value }) => [name, value]));
  await checkNamed(tx, actor, values);
  if (values["emails_restricted_to_domains"] === true) await assertHasDomains(tx, realmId);
  if (changed.length > 0) await storeOrganizationSettings(tx, realmId, values);
  return changed;
}

/**
 * Checks that the channels exist for the actor and are not archived, and that the languages are known.
 * @param changed values by setting
 * @throws ApiError `BAD_REQUEST`
 */
async function checkNamed(
  tx: Tx,
  actor: Account,
  changed: Readonly<Record<string, OrganizationSettingValue>>,
): Promise<void> {
  const naming = (what: OrganizationSetting["names"]) =>
    namedOrganizationSettings.flatMap(([name, { names }]) =>
      names === what && changed[name] !== undefined ? [{ name, value: changed[name] }] : [],
    );
  for (const { name, value } of naming("language"))
    if (languageName(String(value)) === undefined)
      throw errors.badRequest(`${name} must be the tag of a language, such as de or pt-br`);
  const channels = naming("channel").filter(({ value }) => value !== -1);
  if (channels.length === 0) return;
  const seen = await loadSeenChannels(
    tx,
    actor,
    channels.map(({ value }) => Number(value)),
  );
  for (const { name, value } of channels) {
    const channel = seen.get(Number(value));
    if (!channel) throw errors.badRequest(`${name}: there is no channel ${value}`);
    if (channel.isArchived) throw errors.badRequest(`${name}: the channel ${value} is archived`);
  }
}

/** Loads the channels whose metadata the account sees, by id. */
async function loadSeenChannels(tx: Tx, actor: Account, ids: readonly number[]) {
  const [channels, memberships, subscribed] = await Promise.all([
    loadChannels(tx, actor.realmId, ids),
    loadMemberships(tx, [actor.id]),
    loadSubscribedChannels(tx, [actor.id]),
  ]);
  return new Map(
    [...channels].filter(([id, channel]) =>
      hasMetadataAccess(actor, channel, memberships, subscribed(actor.id, id)),
    ),
  );
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
