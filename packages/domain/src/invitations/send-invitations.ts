import { ApiError, errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { RateRule } from "@carillon/kit";
import {
  type Account,
  invitesChangedEvents,
  type Realm,
  recordAudit,
  type Site,
} from "@carillon/model";

import { addressRefusals } from "../users/allowed-addresses.ts";
import { checkNewAddress } from "../users/change-address.ts";
import { checkOffer, openInviter, type WantedOffer } from "./check-offer.ts";
import { type Invitee, makeLinks } from "./make-links.ts";
import { countMails } from "./mail-limit.ts";
import { parseInvitees } from "./parse-invitees.ts";

/** A request to invite addresses. */
export interface WantedInvitations extends WantedOffer {
  /** The parameter `invitee_emails`, not parsed. */
  readonly addresses: string;
  readonly notifyReferrer: boolean;
  /** Null: the links do not expire. */
  readonly minutes: number | null;
}

/**
 * Mails each address a link that creates one account (people.md §1).
 * @param rules the rate rule `invites`; empty for no limit
 * @returns undefined if all addresses are invited; if some of them have accounts, the error that the caller throws after
 *   the invitations of the others have been committed
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`, `INVITATION_FAILED`; nothing has changed then
 */
export async function sendInvitations(
  tx: Tx,
  site: Site,
  account: Account,
  wanted: WantedInvitations,
  rules: readonly RateRule[],
): Promise<ApiError | undefined> {
  const inviter = await openInviter(tx, account, "canInviteUsersGroup", wanted.role);
  const { actor, realm } = inviter;
  const all = parseInvitees(wanted.addresses);
  const offer = await checkOffer(tx, site, inviter, wanted, all.length);
  const { invitees, invalid, skipped } = await sortAddresses(tx, site, realm, all);
  if (invalid.length > 0)
    throw errors.invitationFailed("Some addresses cannot be invited, so no invitation was sent", [
      ...invalid,
      ...skipped,
    ]);
  if (invitees.length === 0)
    throw errors.invitationFailed("All of these addresses have accounts", skipped);
  await countMails(tx, realm.id, invitees.length, rules);
  const { notifyReferrer, minutes } = wanted;
  const link = { ...offer, kind: "email", makerId: actor.id, notifyReferrer, minutes } as const;
  const made = await makeLinks(tx, site, realm.id, link, invitees);
  recordAudit(tx, realm.id, actor.id, [
    {
      type: "invitations_sent",
      data: { invitation_ids: made.map(({ id }) => id), role: offer.role },
    },
  ]);
  emit(tx, realm.id, await invitesChangedEvents(tx, realm.id, [actor.id]));
  return skipped.length === 0
    ? undefined
    : errors.invitationFailed(
        "Some of these addresses have accounts; the others are invited",
        skipped,
        {
          sent: true,
        },
      );
}

/** An address that is not invited: the reason, and whether it belongs to a deactivated account. */
type NotInvited = readonly [address: string, reason: string, deactivated: boolean];

interface SortedAddresses {
  readonly invitees: readonly Invitee[];
  /** Malformed or not allowed. */
  readonly invalid: readonly NotInvited[];
  /** Addresses that have an account, active or not. */
  readonly skipped: readonly NotInvited[];
}

async function sortAddresses(
  tx: Tx,
  site: Site,
  realm: Realm,
  all: readonly Invitee[],
): Promise<SortedAddresses> {
  const invalid: NotInvited[] = [];
  const addresses: Invitee[] = [];
  for (const invitee of all) {
    const fault = addressFault(site, realm, invitee.email);
    if (fault === undefined) addresses.push(invitee);
    else invalid.push([invitee.email, fault, false]);
  }
  const emails = addresses.map(({ email }) => email);
  const refusals = await addressRefusals(tx, realm.id, emails);
  const known = new Map(
    (await tx.rows(accountsOf, [realm.id, emails])).map(({ place, isActive }) => [place, isActive]),
  );
  const skipped: NotInvited[] = [];
  const invitees: Invitee[] = [];
  for (const [i, invitee] of addresses.entries()) {
    const isActive = known.get(i + 1);
    const refusal = refusals[i];
    if (isActive !== undefined) skipped.push([invitee.email, reasonOfAccount(isActive), !isActive]);
    else if (refusal !== undefined) invalid.push([invitee.email, refusal, false]);
    else invitees.push(invitee);
  }
  return { invitees, invalid, skipped };
}

const accountsOf = statement({
  name: "accounts-of-addresses",
  text: `SELECT n.place::int AS place, u.is_active AS "isActive"
    FROM unnest($2::text[]) WITH ORDINALITY AS n (email, place)
      JOIN users u ON u.realm_id = $1 AND lower(u.delivery_email) = lower(n.email)`,
});

function reasonOfAccount(isActive: boolean): string {
  return isActive ? "Already has an account" : "Has an account that is deactivated";
}

function addressFault(site: Site, realm: Realm, email: string): string | undefined {
  try {
    checkNewAddress(site, realm, email, "The address");
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
