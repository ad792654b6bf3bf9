import { roles } from "@carillon/contract";

import { cleanFullName } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { AccountRecord } from "../records.ts";
import type { MentionedAccount } from "./references.ts";
import type { SlackUser } from "./schemas.ts";

/** Accounts of the export that is written, by the ids of Slack. */
export class SlackPeople {
  readonly #accounts = new Map<string, AccountRecord>();
  readonly #addresses = new Set<string>();
  readonly #report: ConversionReport;

  constructor(report: ConversionReport) {
    this.#report = report;
  }

  /** Accounts, those of missing people too. */
  get records(): Iterable<AccountRecord> {
    return this.#accounts.values();
  }

  /** Adds an element of `users.json`. */
  add(user: SlackUser, where: string): void {
    if (this.#accounts.has(user.id)) {
      this.#report.add({ what: "person", where, why: `the id ${user.id} is there twice` });
      return;
    }
    const isBot = user.is_bot === true || user.id === "USLACKBOT";
    const { profile } = user;
    const fullName = cleanFullName(
      profile?.real_name || user.real_name || profile?.display_name || user.name || "",
      user.id,
    );
    const address = isBot ? undefined : this.#addressOf(user, where);
    const id = this.#accounts.size + 1;
    this.#accounts.set(user.id, {
      id,
      full_name: fullName,
      delivery_email: address ?? placeholderAddress(user.id, id),
      role: isBot ? roles.member : roleOf(user),
      is_active: !isBot && user.deleted !== true && address !== undefined,
      ...(isBot && { is_bot: true, bot_type: 1 }),
      ...(user.tz !== undefined && isZone(user.tz) && { timezone: user.tz }),
    });
    if (profile?.image_original !== undefined)
      this.#report.skip("profile pictures, which are only links");
    if (profile?.title || profile?.phone) this.#report.skip("titles and phone numbers of people");
  }

  /** Returns the account of a person; somebody who is not in `users.json` becomes a deactivated account. */
  require(userId: string, name: string | undefined, where: string, isBot = false): AccountRecord {
    const known = this.#accounts.get(userId);
    if (known) return known;
    const id = this.#accounts.size + 1;
    const account: AccountRecord = {
      id,
      full_name: cleanFullName(name ?? "", `Slack ${userId}`),
      delivery_email: placeholderAddress(userId, id),
      role: roles.member,
      is_active: false,
      ...(isBot && { is_bot: true, bot_type: 1 }),
    };
    this.#accounts.set(userId, account);
    if (!isBot)
      this.#report.add({
        what: "person",
        where,
        why: `${userId} is not in users.json: became a deactivated account`,
      });
    return account;
  }

  account(userId: string): MentionedAccount | undefined {
    const account = this.#accounts.get(userId);
    return account && { id: account.id, fullName: account.full_name };
  }

  /** @param columns of the account, which name its picture */
  addPicture(userId: string, columns: object): void {
    const account = this.#accounts.get(userId);
    if (account) this.#accounts.set(userId, { ...account, ...columns });
  }

  /** Makes sure that there is an owner, whom the organization needs, and returns the first. */
  chooseOwner(): AccountRecord | undefined {
    const people = [...this.#accounts].filter(([, one]) => one.is_active === true);
    const owner = people.find(([, one]) => one.role === roles.owner)?.[1];
    if (owner) return owner;
    const [first] = [...people].sort(
      ([, a], [, b]) => (a.role ?? roles.member) - (b.role ?? roles.member),
    );
    if (!first) return undefined;
    const [userId, account] = first;
    this.#accounts.set(userId, { ...account, role: roles.owner });
    this.#report.add({
      what: "role",
      where: "users.json",
      why: `no active person is an owner: ${account.full_name} became the owner`,
    });
    return this.#accounts.get(userId);
  }

  #addressOf(user: SlackUser, where: string): string | undefined {
    const address = user.profile?.email?.trim();
    const report = (why: string): undefined => {
      this.#report.add({ what: "e-mail address", where: `${where}, ${user.id}`, why });
    };
    if (address === undefined || address === "")
      return user.deleted === true ? undefined : report("is missing: the account is deactivated");
    if (!/^[^\s@<>"]{1,64}@[^\s@<>"]{1,185}$/.test(address))
      return report("is not an e-mail address: the account is deactivated");
    if (this.#addresses.has(address.toLowerCase()))
      return report(`${address} is another account's, too: the account is deactivated`);
    this.#addresses.add(address.toLowerCase());
    return address;
  }
}

function roleOf(user: SlackUser): AccountRecord["role"] {
  if (user.is_primary_owner === true || user.is_owner === true) return roles.owner;
  if (user.is_admin === true) return roles.administrator;
  if (user.is_restricted === true || user.is_ultra_restricted === true) return roles.guest;
  return user.is_stranger === true ? roles.guest : roles.member;
}

/** An address at which nobody can be reached (RFC 2606), for an account that has none. */
function placeholderAddress(userId: string, id: number): string {
  return `${userId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(0, 40)}.${id}@slack.invalid`;
}

function isZone(zone: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions();
    return timeZone !== "" && zone.length <= 40;
  } catch {
    return false;
  }
}
