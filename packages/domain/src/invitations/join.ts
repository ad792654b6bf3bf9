import { roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  checkFullName,
  checkNameIsFree,
  invitesChangedEvents,
  loadAfter,
  loadRealm,
  lockGroupGraph,
  lockInvitations,
  type Realm,
  recordAudit,
  type Site,
} from "@carillon/model";

import { recordInvitationAcceptedNotice } from "../notices/record.ts";
import { checkNewAddress } from "../users/change-address.ts";
import { admitPerson } from "../users/create-user.ts";
import { loadOffer, type Offer } from "./make-links.ts";
import { findLinkById, isUsable, type Link, refusesAddress } from "./usable-links.ts";

/** A person who joins. */
export interface Newcomer {
  readonly realmId: number;
  /**
   * Id of the link. Null for a person who needs none: a provider has verified the address, and the caller has checked
   * that the organization accepts people without a link.
   */
  readonly linkId: number | null;
  /** The address of the link; for a reusable link, or without a link, an address that a provider has verified. */
  readonly email: string;
  readonly fullName: string;
  /** Made by `hashPassword`; null for an account without password. */
  readonly passwordHash: string | null;
}

/**
 * Creates the account of a person who joins (people.md §2), ends the links of the address, and sends the welcome messages
 * and notices. If concurrent calls have the same address, or the same link for one account, only one of them creates the
 * account.
 * @returns the account with its API key; "gone" if the link or the address can no longer be used
 * @throws ApiError `BAD_REQUEST` for a name that is not accepted, and for a malformed address
 */
export async function joinOrganization(
  tx: Tx,
  site: Site,
  { realmId, linkId, email: address, fullName: name, passwordHash }: Newcomer,
): Promise<{ readonly account: Account; readonly apiKey: string } | "gone"> {
  const { links, link, realm } = await loadAfter(lockGroupGraph(tx, realmId), {
    links: lockInvitations(tx, realmId, linkId ?? 0, address),
    link: linkId === null ? undefined : findLinkById(tx, realmId, linkId),
    realm: loadRealm(tx, realmId),
  });
  const email = checkNewAddress(site, realm, address);
  if (!(await mayJoin(tx, realm, linkId === null ? null : link, email))) return "gone";
  const fullName = checkFullName(name);
  await checkNameIsFree(tx, realm, fullName);
  const offer = link ? await loadOffer(tx, link) : withoutLink;
  // A reusable link does not end.
  const ending = links.filter(({ id }) => link?.kind !== "multiuse" || id !== link.id);
  const { account, apiKey, events } = await admitPerson(
    tx,
    site,
    realm,
    ending,
    {
      email,
      fullName,
      role: offer.role,
      offer,
      ...(passwordHash === null ? {} : { passwordHash }),
    },
    offer.welcomeText,
  );
  if (link && link.kind !== "multiuse") {
    const prisma = await tx.prisma();
    await prisma.invitation.update({
      where: { id: link.id },
      data: { joinedId: account.id },
      select: { id: true },
    });
  }
  if (link?.notifyReferrer && link.makerId !== null)
    await recordInvitationAcceptedNotice(tx, link.makerId, account);
  recordAudit(tx, realmId, account.id, [
    {
      type: "user_joined",
      userId: account.id,
      data: link ? { invitation_id: link.id, kind: link.kind, invited_by: link.makerId } : {},
    },
  ]);
  const reusableLinkEvents =
    link?.kind === "multiuse" ? await invitesChangedEvents(tx, realmId, [link.makerId]) : [];
  emit(tx, realmId, [...events, ...reusableLinkEvents]);
  return { account, apiKey };
}

/** The offer for people who join without a link. */
const withoutLink: Offer = {
  role: roles.member,
  channelIds: [],
  groupIds: [],
  includeDefaults: true,
  welcomeText: null,
};

/**
 * Whether the person may join. The links of the address must be locked.
 * @param link undefined if it has ended or expired; null for a person who needs none
 */
async function mayJoin(
  tx: Tx,
  realm: Realm,
  link: Link | undefined | null,
  email: string,
): Promise<boolean> {
  if (link === undefined || realm.deactivated || (await refusesAddress(tx, realm, email)))
    return false;
  if (link === null) return true;
  if (link.email !== null && !(await isSameAddress(tx, link.email, email))) return false;
  return isUsable(tx, realm, link);
}

const same = statement({
  name: "addresses-are-the-same",
  text: "SELECT lower($1) = lower($2) AS same",
});

async function isSameAddress(tx: Tx, one: string, other: string): Promise<boolean> {
  return (await tx.first(same, [one, other]))?.same ?? false;
}
