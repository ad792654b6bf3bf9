import { errors } from "@carillon/contract";
import { type Database, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  accountColumns,
  accountOverrides,
  lockAccountAudience,
  checkFullName,
  checkNameIsFree,
  lockGroupGraphShared,
  isOrganizationAdministrator,
  languageName,
  loadOwnSettings,
  loadRealm,
  personUpdated,
  type Realm,
  type Site,
  timezoneNamed,
  loadAfter,
} from "@carillon/model";

import { endResets } from "../password-resets/find-reset.ts";
import { loginOf, type Guesses } from "../users/api-key.ts";
import { checkPassword, hashPassword, verifyPassword } from "../users/passwords.ts";
import { requestAddress } from "../users/change-address.ts";
import { type SettingChanges, storeOwnSettings, switchPresence } from "./store-own.ts";
import type { SettingValue } from "./update-defaults.ts";

/** A person's requested changes; undefined for no change. */
export interface OwnSettingsInput {
  readonly fullName: string | undefined;
  readonly email: string | undefined;
  readonly oldPassword: string | undefined;
  readonly newPassword: string | undefined;
  readonly timezone: string | undefined;
  readonly defaultLanguage: string | undefined;
  /** Settings of the registry by wire names, with allowed values. */
  readonly settings: Values;
}

/** Requested settings by wire names; undefined for no change. */
type Values = Readonly<Record<string, SettingValue | undefined>>;

/**
 * Changes the account's own settings, and sends the changes (settings-and-profile-fields.md §1.3). Checks everything
 * before storing anything.
 * @throws ApiError `BAD_REQUEST`, `RATE_LIMIT_HIT`
 */
export async function updateOwnSettings(
  db: Database,
  site: Site,
  guesses: Guesses,
  actor: Account,
  input: OwnSettingsInput,
): Promise<void> {
  const wanted = checkValues(input);
  const { newPassword, oldPassword } = input;
  const password =
    newPassword === undefined
      ? undefined
      : await prepareNewPassword(db, guesses, actor, { oldPassword, newPassword });
  await db.transaction(async (tx) => {
    const { realm, owner } = await loadAfter(
      [
        // The audience of the address depends on roles, which the lock keeps unchanged.
        wanted["email_address_visibility"] !== undefined && lockGroupGraphShared(tx, actor.realmId),
      ],
      {
        realm: loadRealm(tx, actor.realmId),
        owner: lockOwner(tx, actor),
      },
    );
    if (password && password.replaces !== owner.passwordHash)
      throw errors.badRequest("The password was changed meanwhile");
    const name =
      input.fullName === undefined
        ? undefined
        : await checkOwnName(tx, realm, owner, input.fullName);
    if (input.email !== undefined) await requestAddress(tx, site, realm, owner, input.email);
    const changes = await changed(tx, realm, owner, wanted);
    const settingEvents = await storeOwnSettings(tx, site, realm, owner, changes);
    if (password) await endResets(tx, owner.id);
    if (name !== undefined || password) {
      const prisma = await tx.prisma();
      await prisma.user.update({
        where: { id: owner.id },
        data: {
          ...(name !== undefined && { fullName: name }),
          ...(password && { passwordHash: password.hash }),
        },
        select: { id: true },
      });
    }
    const named =
      name === undefined
        ? []
        : [personUpdated(owner.id, { full_name: name }, await lockAccountAudience(tx, owner))];
    // Precedes the other events: every transaction locks presence before the event log.
    const { presence_enabled: shown } = changes;
    if (typeof shown === "boolean") await switchPresence(tx, owner, shown);
    emit(tx, realm.id, [...named, ...settingEvents]);
  });
}

/** Returns the requested values by wire names, after the checks that the declaration cannot express. */
function checkValues({ settings, timezone, defaultLanguage }: OwnSettingsInput): Values {
  const zone = timezone === undefined ? undefined : timezoneNamed(timezone);
  if (timezone !== undefined && zone === undefined)
    throw errors.badRequest("timezone must be a name of the IANA database, such as Europe/Berlin");
  if (defaultLanguage !== undefined) checkLanguage(defaultLanguage);
  return { ...settings, timezone: zone, default_language: defaultLanguage };
}

/**
 * Checks the tag of a language.
 * @throws ApiError `BAD_REQUEST` for an unknown one
 */
export function checkLanguage(tag: string): void {
  if (languageName(tag) === undefined)
    throw errors.badRequest("default_language must be the tag of a language, such as en or pt-br");
}

/** The locked account. */
type Owner = RowOf<typeof lockAsOwner>;

const lockAsOwner = statement({
  name: "own-account-lock",
  text: `SELECT ${accountColumns}, u.password_hash AS "passwordHash",
      r.name_changes_disabled AS "nameChangesDisabled"
    FROM users u JOIN realms r ON r.id = u.realm_id
    WHERE u.realm_id = $1 AND u.id = $2 AND u.is_active FOR NO KEY UPDATE OF u`,
  overrides: accountOverrides,
});

async function lockOwner(tx: Tx, actor: Account): Promise<Owner> {
  const [owner] = await tx.lock({ name: "accounts", keys: [actor.id] }, lockAsOwner, [
    actor.realmId,
    actor.id,
  ]);
  if (!owner) throw errors.unauthorized();
  return owner;
}

/** Returns the requested values that differ from the current ones. */
async function changed(
  tx: Tx,
  realm: Realm,
  owner: Owner,
  wanted: Values,
): Promise<SettingChanges> {
  const current = await loadOwnSettings(tx, realm, owner.id);
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, value]) =>
      value !== undefined && value !== current[name] ? [[name, value]] : [],
    ),
  );
}

/** Returns all settings of the account by wire name. */
export async function readOwnSettings(sql: Sql, actor: Account): Promise<Record<string, unknown>> {
  return loadOwnSettings(sql, await loadRealm(sql, actor.realmId), actor.id);
}

/**
 * Checks the account's new name (users.md §3.3); undefined if the account keeps its name, because it is the same or
 * because only administrators may change names.
 * @param account in its current state
 * @throws ApiError `BAD_REQUEST`
 */
async function checkOwnName(
  tx: Tx,
  realm: Realm,
  account: Account & { readonly nameChangesDisabled: boolean },
  text: string,
): Promise<string | undefined> {
  if (text.trim() === account.fullName) return undefined;
  if (account.nameChangesDisabled && !isOrganizationAdministrator(account)) return undefined;
  const name = checkFullName(text);
  await checkNameIsFree(tx, realm, name, account.id);
  return name;
}

/** A checked change of password. */
interface NewPassword {
  readonly hash: string;
  /** The hash that the old password matched; must be unchanged when the new one is stored. */
  readonly replaces: string | null;
}

const stored = statement({
  name: "password-and-address",
  text: "SELECT password_hash AS hash, lower(delivery_email) AS folded FROM users WHERE id = $1",
});

/**
 * Verifies the old password and hashes the new one. Runs outside of any transaction, because it takes 120 ms.
 * @throws ApiError `BAD_REQUEST`; `RATE_LIMIT_HIT`, because wrong passwords count towards the limit of logins
 */
async function prepareNewPassword(
  sql: Sql,
  guesses: Guesses,
  account: Account,
  {
    oldPassword,
    newPassword,
  }: { readonly oldPassword: string | undefined; readonly newPassword: string },
): Promise<NewPassword> {
  await checkPassword(newPassword);
  const [row] = await sql.rows(stored, [account.id]);
  const replaces = row?.hash ?? null;
  const login = loginOf(account.realmId, row?.folded ?? "");
  if (!(await verifyPassword(oldPassword ?? "", replaces, () => guesses.begin(login))))
    throw errors.badRequest("old_password is not your password");
  await guesses.end(login);
  return { hash: await hashPassword(newPassword), replaces };
}
