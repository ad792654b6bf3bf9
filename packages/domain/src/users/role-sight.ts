import {
  type Account,
  type Viewer,
  accountColumns,
  defaultChannelsEvent,
  noDefaultChannelsEvent,
  personUpdated,
  pictureUpdated,
  visibilitiesSeenBy,
  accountRow,
} from "@carillon/model";
import { type NewEvent, isGuest, roles } from "@carillon/contract";
import { statement, type Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

/**
 * What accounts are told that see something else with the role that they have got (events.md §4): the default channels
 * and addresses. The group graph must be locked: nobody comes meanwhile,
 * and nobody shows or hides an address.
 * @param targets active accounts with the roles that they had
 * @param role which all of them have by now
 */
export async function roleSightEvents(
  sql: Sql,
  realmId: number,
  targets: readonly Viewer[],
  role: number,
): Promise<NewEvent[]> {
  const parts = await Promise.all([
    defaultChannelsSeen(sql, realmId, targets, role),
    addressesSeen(sql, realmId, targets, role),
  ]);
  return parts.flat();
}

/** Guests are not told of them, and know none. */
async function defaultChannelsSeen(
  sql: Sql,
  realmId: number,
  targets: readonly Viewer[],
  role: number,
): Promise<NewEvent[]> {
  const audience = targets
    .filter((target) => isGuest(target) !== (role === roles.guest))
    .map(({ id }) => id);
  if (audience.length === 0) return [];
  if (role === roles.guest) return [noDefaultChannelsEvent(audience)];
  return [await defaultChannelsEvent(sql, realmId, audience)];
}

/** Addresses that are shown by now, or hidden, and the pictures that are made of them. */
async function addressesSeen(
  sql: Sql,
  realmId: number,
  targets: readonly Viewer[],
  role: number,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const oldRole of new Set(targets.map((target) => target.role))) {
    const [had, has] = [visibilitiesSeenBy(oldRole), visibilitiesSeenBy(role)];
    // Of two roles one sees all addresses that the other does.
    const gained = has.filter((visibility) => !had.includes(visibility));
    const changed = [...gained, ...had.filter((visibility) => !has.includes(visibility))];
    if (changed.length === 0) continue;
    const alike = targets.filter((target) => target.role === oldRole).map(({ id }) => id);
    const told = await inSlices(await accountsShowing(sql, realmId, changed), (account) => {
      // One's own one sees always.
      const audience = alike.filter((id) => id !== account.id);
      if (audience.length === 0) return [];
      const shown = gained.length > 0 ? account.deliveryEmail : null;
      return [
        personUpdated(account.id, { delivery_email: shown }, audience),
        ...(account.avatarSource === "G" ? [pictureUpdated(account, audience)] : []),
      ];
    });
    for (const ofAccount of told) events.push(...ofAccount);
  }
  return events;
}

const withVisibility = statement({
  name: "people-with-address-visibility",
  text: `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND NOT u.is_bot AND u.email_address_visibility = ANY($2::int[]) ORDER BY u.id`,
  row: accountRow,
});

/** People, deactivated ones too, by `email_address_visibility`; the addresses of bots everybody sees. */
function accountsShowing(
  sql: Sql,
  realmId: number,
  visibilities: readonly number[],
): Promise<Account[]> {
  return sql.rows(withVisibility, [realmId, visibilities]);
}
