import type { Database, Prisma } from "@carillon/db";
import { createOrganization } from "@carillon/domain";
import {
  type Account,
  type Realm,
  type SystemGroupIds,
  loadRealm,
  loadSystemGroups,
} from "@carillon/model";
import { testSite } from "../site.ts";
import { bot, roles, user, type TestAccount } from "./account.ts";
import { unique } from "./unique.ts";

/** An organization with one account of every role. */
export interface TestOrganization {
  readonly realm: Realm;
  /** May create users and change e-mail addresses. */
  readonly owner: TestAccount;
  readonly admin: TestAccount;
  readonly moderator: TestAccount;
  readonly member: TestAccount;
  readonly guest: TestAccount;
  /** A generic bot of the member. */
  readonly bot: TestAccount;
  readonly notificationBot: Account;
  readonly welcomeBot: Account;
  readonly schedulingBot: Account;
  /** Ids of the system groups: `groups["role:members"]`. */
  readonly groups: SystemGroupIds;
}

export interface OrganizationOverrides {
  /** Empty: the organization without subdomain, one in each database. */
  readonly subdomain?: string;
  readonly name?: string;
  /** Columns, including permissions such as `canCreateGroupsId`; written before the other accounts are created. */
  readonly row?: Prisma.RealmUncheckedUpdateInput;
}

/** Creates an organization. */
export async function organization(
  db: Database,
  { subdomain = unique("org"), name = unique("Organization"), row }: OrganizationOverrides = {},
): Promise<TestOrganization> {
  const made = await db.transaction((tx) =>
    createOrganization(tx, testSite(), {
      subdomain,
      name,
      owner: { email: `${unique("owner")}@carillon.test`, fullName: unique("owner") },
    }),
  );
  const { id } = made.realm;
  if (row) await changeOrganization(db, made.realm, row);
  const withRole = (role: "administrator" | "moderator" | "member" | "guest") =>
    user(db, made.realm, { role: roles[role], fullName: unique(role) });
  const [admin, moderator, member, guest] = [
    await withRole("administrator"),
    await withRole("moderator"),
    await withRole("member"),
    await withRole("guest"),
  ];
  return {
    realm: await loadRealm(db, id),
    owner: { ...made.owner, apiKey: made.ownerApiKey },
    admin,
    moderator,
    member,
    guest,
    bot: await bot(db, member),
    notificationBot: made.notificationBot,
    welcomeBot: made.welcomeBot,
    schedulingBot: made.schedulingBot,
    groups: await loadSystemGroups(db, id),
  };
}

/** Changes columns of the organization, without events: `{ topicsPolicy: "disable_empty_topic" }`. */
export async function changeOrganization(
  db: Database,
  realm: { readonly id: number },
  row: Prisma.RealmUncheckedUpdateInput,
): Promise<Realm> {
  await db.prisma.realm.update({ where: { id: realm.id }, data: row });
  return loadRealm(db, realm.id);
}

/** Deactivates the organization in the database only, without events. */
export async function deactivateOrganization(
  db: Database,
  realm: { readonly id: number },
): Promise<void> {
  await changeOrganization(db, realm, { deactivated: true });
}
