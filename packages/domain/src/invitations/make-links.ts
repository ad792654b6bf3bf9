import { roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { sendMail } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import type { Realm, Site } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { checkAddressIsAllowed } from "../users/allowed-addresses.ts";
import { checkNewAddress } from "../users/change-address.ts";
import type { Link, LinkKind } from "./usable-links.ts";

/** Minutes for which a link is valid if a person has requested it on a page. */
const mailedLinkMinutes = 24 * 60;

/** What a person who joins with a link gets. */
export interface Offer {
  readonly role: number;
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  /** Whether to add the channels that are default channels when the person joins. */
  readonly includeDefaults: boolean;
  /** Markdown; null for the organization's text, empty for none. */
  readonly welcomeText: string | null;
}

/** A link to be made. */
interface NewLink extends Offer {
  readonly kind: LinkKind;
  readonly makerId: number | null;
  readonly parentId?: number;
  readonly notifyReferrer: boolean;
  /** Null: the link does not expire. */
  readonly minutes: number | null;
}

/** The person who is invited by a link. */
export interface Invitee {
  readonly email: string;
  /** Prefills the form of the page. */
  readonly fullName: string | null;
}

/**
 * `mails` starts at 1 for links with an address, because each is mailed at once. `created_at` is compared with
 * `deactivated_at` of the maker. It is not the time of the transaction, which may have begun before it got the lock of the
 * group graph.
 */
const insert = statement({
  name: "invitations-insert",
  text: `INSERT INTO invitations (realm_id, kind, maker_id, parent_id, email, full_name, role, include_defaults,
      notify_referrer, welcome_text, key_digest, key_sealed, created_at, expires_at, mails)
    SELECT $1, $2, $3, $4, n.email, n.full_name, $5, $6, $7, $8, n.digest, n.sealed, t.made,
      t.made + make_interval(mins => $9), CASE WHEN n.email IS NULL THEN 0 ELSE 1 END
    FROM (SELECT clock_timestamp() AS made) t,
      unnest($10::text[], $11::text[], $12::bytea[], $13::bytea[]) AS n (email, full_name, digest, sealed)
    RETURNING id`,
});

const addChannels = statement({
  name: "invitation-channels-insert",
  text: `INSERT INTO invitation_channels (invitation_id, channel_id)
    SELECT i.id, c.id FROM unnest($1::int[]) AS i (id), unnest($2::int[]) AS c (id)`,
});

const addGroups = statement({
  name: "invitation-groups-insert",
  text: `INSERT INTO invitation_groups (invitation_id, group_id)
    SELECT i.id, g.id FROM unnest($1::int[]) AS i (id), unnest($2::int[]) AS g (id)`,
});

/**
 * Makes one link for each invitee, and records the jobs that mail them.
 * @param invitees `[null]` for one reusable link, which is not mailed
 * @returns the ids and the keys of the links
 */
export async function makeLinks(
  tx: Tx,
  site: Site,
  realmId: number,
  link: NewLink,
  invitees: ReadonlyArray<Invitee | null>,
): Promise<Array<{ readonly id: number; readonly key: string }>> {
  const keys = invitees.map(() => randomKey());
  const made = await tx.rows(insert, [
    realmId,
    link.kind,
    link.makerId,
    link.parentId ?? null,
    link.role,
    link.includeDefaults,
    link.notifyReferrer,
    link.welcomeText,
    link.minutes,
    invitees.map((invitee) => invitee?.email ?? null),
    invitees.map((invitee) => invitee?.fullName ?? null),
    keys.map((key) => Buffer.from(site.secrets.digest(key))),
    keys.map((key) => Buffer.from(site.secrets.seal(key))),
  ]);
  const ids = made.map(({ id }) => id);
  if (link.channelIds.length > 0) await tx.rows(addChannels, [ids, link.channelIds]);
  if (link.groupIds.length > 0) await tx.rows(addGroups, [ids, link.groupIds]);
  if (link.kind !== "multiuse")
    await recordInvitationMails(
      tx,
      realmId,
      ids.map((id) => ({ id, number: 1 })),
    );
  return ids.map((id, i) => ({ id, key: keys[i] ?? "" }));
}

/** Records jobs that mail links to their addresses. @param mails `number` counts the mails of one link from 1 */
export async function recordInvitationMails(
  tx: Tx,
  realmId: number,
  mails: ReadonlyArray<{ readonly id: number; readonly number: number }>,
): Promise<void> {
  await recordIntents(
    tx,
    realmId,
    sendMail,
    mails.map(({ id, number }) => ({
      key: `invitation-${id}-${number}`,
      payload: { kind: "invitation", invitationId: id, number },
    })),
  );
}

/**
 * Makes a link with which the owner of an address confirms a sign-up (people.md §3), and mails it. The job that sends the
 * mail checks whether the address has an account, so that the request takes the same time for all addresses.
 * @param email a valid address
 */
export async function makeSignUpLink(
  tx: Tx,
  site: Site,
  realm: Realm,
  email: string,
): Promise<void> {
  const offer: Offer = {
    role: roles.member,
    channelIds: [],
    groupIds: [],
    includeDefaults: true,
    welcomeText: null,
  };
  const link = { kind: "signup", makerId: null, notifyReferrer: false, ...offer } as const;
  await makeLinks(tx, site, realm.id, { ...link, minutes: mailedLinkMinutes }, [
    { email, fullName: null },
  ]);
}

const offered = statement({
  name: "invitation-offer",
  text: `SELECT coalesce((SELECT json_agg(c.channel_id ORDER BY c.channel_id) FROM invitation_channels c
        WHERE c.invitation_id = $1), '[]')::text AS channels,
      coalesce((SELECT json_agg(g.group_id ORDER BY g.group_id) FROM invitation_groups g
        WHERE g.invitation_id = $1), '[]')::text AS groups`,
});

/** Loads the offer of a link, with the channels and groups that were chosen when it was made. */
export async function loadOffer(tx: Tx, link: Link): Promise<Offer> {
  const found = await tx.first(offered, [link.id]);
  return {
    role: link.role,
    channelIds: JSON.parse(found?.channels ?? "[]") as number[],
    groupIds: JSON.parse(found?.groups ?? "[]") as number[],
    includeDefaults: link.includeDefaults,
    welcomeText: link.welcomeText,
  };
}

/**
 * Makes a link for one address from a reusable one (people.md §2), and mails it. The job that sends the mail checks whether
 * the address has an account, so that the answer is the same for all addresses.
 * @param link a usable reusable link
 * @param address as typed
 * @throws ApiError `BAD_REQUEST` for an address that no new account may have
 */
export async function mailPersonalLink(
  tx: Tx,
  site: Site,
  realm: Realm,
  link: Link,
  address: string,
): Promise<void> {
  const email = checkNewAddress(site, realm, address);
  await checkAddressIsAllowed(tx, realm.id, email);
  const { makerId, id: parentId } = link;
  const personal = {
    kind: "personal",
    makerId,
    parentId,
    notifyReferrer: false,
    ...(await loadOffer(tx, link)),
    minutes: mailedLinkMinutes,
  } as const;
  await makeLinks(tx, site, realm.id, personal, [{ email, fullName: null }]);
}
