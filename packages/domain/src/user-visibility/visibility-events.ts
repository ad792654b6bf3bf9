import {
  type Account,
  type ProfileData,
  type SubscriptionPair,
  accountColumns,
  accountOverrides,
  lockUserVisibility,
  hasPublicGravatar,
  personAdded,
  personUpdated,
  pictureOf,
  profileDataSql,
  restrictsGuests,
  seesByChannel,
  setFields,
  sharesConversation,
  showsAddressTo,
  statusChanged,
  statusColumns,
  unknownName,
  userObject,
} from "@carillon/model";
import { type NewEvent, isGuest, roles, userRemoved } from "@carillon/contract";
import { statement, notNull, typed, type Sql, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";

/** A person, and the viewers (a PostgreSQL array literal) who can newly see the person, or no longer can. */
interface VisibilityChange {
  readonly person: number;
  readonly viewers: string;
}

/**
 * Selects pairs of a guest and a person who share the channel of a changed subscription, and nothing else that lets the
 * guest see the person: the change makes the person visible or invisible to the guest. `others` are the current and the
 * former subscribers of the channels.
 */
const bySubscriptions = statement({
  name: "visibility-by-subscriptions",
  text: `WITH changed AS (
      SELECT DISTINCT channel_id, user_id FROM unnest($2::int[], $3::int[]) AS c (channel_id, user_id)
    ), others AS (
      SELECT s.channel_id, s.user_id FROM subscriptions s
      WHERE s.channel_id IN (SELECT channel_id FROM changed) AND s.active AND s.is_user_active
      UNION SELECT channel_id, user_id FROM changed
    ), pair AS (
      SELECT g.id AS guest, p.id AS person FROM changed JOIN others USING (channel_id)
        JOIN users p ON p.id = changed.user_id JOIN users g ON g.id = others.user_id
      WHERE g.role = ${roles.guest} AND g.is_active AND NOT p.is_bot AND p.id <> g.id
      UNION
      SELECT g.id, p.id FROM changed JOIN others USING (channel_id)
        JOIN users g ON g.id = changed.user_id JOIN users p ON p.id = others.user_id
      WHERE g.role = ${roles.guest} AND g.is_active AND NOT p.is_bot AND p.id <> g.id
    )
    SELECT person, array_agg(guest ORDER BY guest)::text AS viewers FROM pair
    WHERE NOT ${sharesConversation("$1", "guest", "person")} AND NOT EXISTS (
      SELECT FROM subscriptions mine JOIN subscriptions theirs ON theirs.channel_id = mine.channel_id
      WHERE mine.user_id = guest AND mine.active
        AND theirs.user_id = person AND theirs.active AND theirs.is_user_active
        AND NOT EXISTS (SELECT FROM changed c
          WHERE c.channel_id = mine.channel_id AND c.user_id IN (guest, person)))
    GROUP BY person ORDER BY person`,
  overrides: { person: notNull },
});

/**
 * Selects pairs of a guest and a person who share a new conversation (by recipient ids), and nothing else that lets the
 * guest see the person; none if guests are not restricted.
 */
const byConversations = statement({
  name: "visibility-by-conversations",
  text: `WITH pair AS (
      SELECT DISTINCT g.id AS guest, p.id AS person FROM recipients r
        JOIN users g ON g.id = ANY(r.member_ids) JOIN users p ON p.id = ANY(r.member_ids)
      WHERE r.realm_id = $1 AND r.id = ANY($2::int[])
        AND (SELECT ${restrictsGuests} FROM realms WHERE realms.id = $1)
        AND g.role = ${roles.guest} AND g.is_active AND NOT p.is_bot AND p.id <> g.id
    )
    SELECT person, array_agg(guest ORDER BY guest)::text AS viewers FROM pair
    WHERE NOT ${seesByChannel("guest", "person")} AND NOT EXISTS (
      SELECT FROM recipients d
      WHERE d.realm_id = $1 AND d.member_ids @> ARRAY[guest, person] AND d.id <> ALL($2::int[]))
    GROUP BY person ORDER BY person`,
});

/** Selects the people that the viewers cannot see, treating each viewer as a guest. */
const unseenBy = statement({
  name: "accounts-unseen",
  text: `WITH seen AS (
      SELECT mine.user_id AS viewer, theirs.user_id AS person
      FROM subscriptions mine JOIN subscriptions theirs ON theirs.channel_id = mine.channel_id
      WHERE mine.user_id = ANY($2::int[]) AND mine.active AND theirs.active AND theirs.is_user_active
      UNION
      SELECT v.id, unnest(d.member_ids) FROM unnest($2::int[]) AS v (id)
        JOIN recipients d ON d.realm_id = $1 AND d.member_ids @> ARRAY[v.id]
    )
    SELECT p.id AS person, array_agg(v.id ORDER BY v.id)::text AS viewers
    FROM users p CROSS JOIN unnest($2::int[]) AS v (id)
    WHERE p.realm_id = $1 AND NOT p.is_bot AND p.id <> v.id
      AND NOT EXISTS (SELECT FROM seen WHERE seen.viewer = v.id AND seen.person = p.id)
    GROUP BY p.id ORDER BY p.id`,
});

const activeGuests = statement({
  name: "active-guests",
  text: `SELECT id FROM users WHERE realm_id = $1 AND role = ${roles.guest} AND is_active ORDER BY id`,
});

/**
 * Makes the events for guests who can newly see accounts through new subscriptions, or no longer see accounts after
 * subscriptions have ended (users.md §2.1); none if guests are not restricted.
 * @param how whether the subscriptions are new or ended
 */
export async function visibilityBySubscriptions(
  tx: Tx,
  realm: { readonly id: number; readonly restrictsGuests: boolean },
  pairs: readonly SubscriptionPair[],
  how: "gained" | "lost",
): Promise<NewEvent[]> {
  if (!realm.restrictsGuests || pairs.length === 0) return [];
  await lockUserVisibility(tx, realm.id);
  const shifts = await tx.rows(bySubscriptions, [
    realm.id,
    pairs.map(({ channelId }) => channelId),
    pairs.map(({ userId }) => userId),
  ]);
  return how === "lost" ? lostEvents(shifts) : gainedEvents(tx, shifts, roles.guest);
}

/**
 * Makes the events for guests who can newly see accounts through new direct conversations. The caller holds
 * {@link lockUserVisibility}.
 */
export async function visibilityByConversations(
  tx: Tx,
  realmId: number,
  recipientIds: readonly number[],
): Promise<NewEvent[]> {
  if (recipientIds.length === 0) return [];
  return gainedEvents(tx, await tx.rows(byConversations, [realmId, recipientIds]), roles.guest);
}

/**
 * Makes the events for accounts that become guests or stop being guests, about the accounts that guests cannot see.
 * @param targets active accounts with their previous roles
 */
export async function visibilityByRole(
  tx: Tx,
  realm: { readonly id: number; readonly restrictsGuests: boolean },
  targets: ReadonlyArray<Pick<Account, "id" | "role">>,
  role: number,
): Promise<{ readonly gained: NewEvent[]; readonly lost: NewEvent[] }> {
  const changedSide = targets.filter((target) => isGuest(target) !== (role === roles.guest));
  if (!realm.restrictsGuests || changedSide.length === 0) return { gained: [], lost: [] };
  await lockUserVisibility(tx, realm.id);
  const shifts = await tx.rows(unseenBy, [realm.id, changedSide.map(({ id }) => id)]);
  return role === roles.guest
    ? { gained: [], lost: await lostEvents(shifts) }
    : { gained: await gainedEvents(tx, shifts, role), lost: [] };
}

/** Makes the events for all guests when the organization starts or stops restricting which users guests can see. */
export async function visibilityByPermission(
  tx: Tx,
  realmId: number,
  how: "gained" | "lost",
): Promise<NewEvent[]> {
  await lockUserVisibility(tx, realmId);
  const guests = await tx.rows(activeGuests, [realmId]);
  const shifts = await tx.rows(unseenBy, [realmId, guests.map(({ id }) => id)]);
  return how === "lost" ? lostEvents(shifts) : gainedEvents(tx, shifts, roles.guest);
}

function lostEvents(changes: readonly VisibilityChange[]): Promise<NewEvent[]> {
  return inSlices(changes, ({ person: user_id, viewers }) =>
    userRemoved({ person: { user_id, full_name: unknownName } }, { audience: viewers }),
  );
}

const shown = statement({
  name: "accounts-shown",
  text: `SELECT ${accountColumns}, ${profileDataSql("u.id")} AS "profileData" FROM users u
    WHERE u.id = ANY($1::int[]) ORDER BY u.id`,
  overrides: { ...accountOverrides, profileData: typed<ProfileData>() },
});

const statuses = statement({
  name: "statuses-shown",
  text: `SELECT s.user_id AS id, ${statusColumns} FROM user_status s
    WHERE s.user_id = ANY($1::int[]) AND (s.status_text <> '' OR s.emoji_name <> '')`,
});

/** Makes the events that show people to viewers. @param role role of all viewers, which decides whether they see addresses */
async function gainedEvents(
  sql: Sql,
  changes: readonly VisibilityChange[],
  role: number,
): Promise<NewEvent[]> {
  if (changes.length === 0) return [];
  const ids = changes.map(({ person }) => person);
  const [people, statusRows] = await Promise.all([
    sql.rows(shown, [ids]),
    sql.rows(statuses, [ids]),
  ]);
  const statusOf = new Map(statusRows.map(({ id, ...status }) => [id, setFields(status)]));
  const viewersOf = new Map(changes.map(({ person, viewers }) => [person, viewers]));
  const events = await inSlices(people, ({ profileData, ...account }) => {
    const audience = viewersOf.get(account.id) ?? "{}";
    const person = userObject(account, showsAddressTo(account, role), profileData ?? {});
    const status = statusOf.get(account.id);
    return [
      personAdded(
        {
          person: { ...person, is_active: true },
          picture: pictureOf(account),
          public_gravatar: hasPublicGravatar(account),
        },
        audience,
      ),
      ...(status ? [statusChanged({ user_id: account.id, ...status }, audience)] : []),
      // `realm_user/add` presents an account as active.
      ...(account.isActive ? [] : [personUpdated(account.id, { is_active: false }, audience)]),
    ];
  });
  return events.flat();
}
