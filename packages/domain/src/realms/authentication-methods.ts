import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type IdentityProvider,
  loadAfter,
  loadRealm,
  lockOrganization,
  type Realm,
  realmUpdatedEvents,
  recordAudit,
  type Site,
  usesProvider,
} from "@carillon/model";

/** The methods of logging in that a server can offer, by the names of the protocol. */
const columns = {
  Email: "passwordAuthEnabled",
  "OpenID Connect": "oidcAuthEnabled",
  dev: "devAuthEnabled",
} as const;

type Method = keyof typeof columns;
type Methods = Readonly<Partial<Record<Method, boolean>>>;
type MethodRules = Pick<Realm, (typeof columns)[Method] | "subdomain">;
type Offers = Pick<Site, "development" | "identityProvider">;

/** Returns whether each method that the server offers is on in the organization. */
export function enabledMethods(site: Offers, realm: MethodRules): Methods {
  return {
    Email: realm.passwordAuthEnabled,
    ...(usesProvider(site.identityProvider, realm)
      ? { "OpenID Connect": realm.oidcAuthEnabled }
      : {}),
    ...(site.development ? { dev: realm.devAuthEnabled } : {}),
  };
}

/** Returns the identity provider if people of the organization may sign in there. */
export function offeredProvider(
  { identityProvider }: Pick<Site, "identityProvider">,
  realm: Pick<Realm, "subdomain" | "oidcAuthEnabled">,
): IdentityProvider | undefined {
  return usesProvider(identityProvider, realm) && realm.oidcAuthEnabled
    ? identityProvider
    : undefined;
}

/** Returns the fields of the snapshot and the event about the methods, including those that older clients read. */
export function methodFields(methods: Methods) {
  return {
    authentication_methods: Object.fromEntries(
      Object.entries(methods).map(([name, enabled]) => [name, { enabled, available: true }]),
    ),
    email_auth_enabled: methods.Email ?? false,
    password_auth_enabled: methods.Email ?? false,
  };
}

/**
 * Turns the methods of logging in on and off. The organization's row must be locked.
 * @param wanted absent methods are turned off; undefined for no change
 * @returns the methods before and after; undefined if nothing changes
 * @throws ApiError `BAD_REQUEST` for a method that the server does not offer, and if none would be left
 */
export async function changeMethods(
  tx: Tx,
  site: Offers,
  realm: Realm,
  wanted: Readonly<Record<string, boolean>> | undefined,
): Promise<{ before: Methods; after: Methods } | undefined> {
  if (wanted === undefined) return undefined;
  const before = enabledMethods(site, realm);
  const unknown = Object.keys(wanted).find((name) => !Object.hasOwn(before, name));
  if (unknown !== undefined)
    throw errors.badRequest(
      `authentication_methods names ${JSON.stringify(unknown.slice(0, 40))}, but this server has only ${Object.keys(before).join(" and ")}`,
    );
  const after = Object.fromEntries(
    Object.keys(before).map((name) => [name, wanted[name] ?? false]),
  ) as Methods;
  if (!Object.values(after).some(Boolean))
    throw errors.badRequest("authentication_methods must have at least one method that is on");
  if (Object.entries(after).every(([name, on]) => before[name as Method] === on)) return undefined;
  const data = Object.fromEntries(
    Object.entries(after).map(([name, on]) => [columns[name as Method], on]),
  );
  const prisma = await tx.prisma();
  await prisma.realm.update({ where: { id: realm.id }, data, select: { id: true } });
  return { before, after };
}

const ignoringCase = new Intl.Collator("en", { sensitivity: "accent" });

/**
 * Turns methods of logging in on for an operator, and sends the change to all users.
 * @param names in any case
 * @returns whether each method that the server offers is on
 * @throws ApiError `BAD_REQUEST` for a method that the server does not offer
 */
export async function enableMethods(
  tx: Tx,
  site: Offers,
  realmId: number,
  names: readonly string[],
): Promise<Methods> {
  const { realm } = await loadAfter(lockOrganization(tx, realmId), {
    realm: loadRealm(tx, realmId),
  });
  const before = enabledMethods(site, realm);
  const offered = Object.keys(before);
  const wanted = names.map((name) => {
    const method = offered.find((each) => ignoringCase.compare(each, name) === 0);
    if (method === undefined)
      throw errors.badRequest(
        `this server offers no method ${JSON.stringify(name)}, but only ${offered.join(" and ")}`,
      );
    return [method, true] as const;
  });
  if (wanted.length === 0) return before;
  const changed = await changeMethods(tx, site, realm, {
    ...before,
    ...Object.fromEntries(wanted),
  });
  if (!changed) return before;
  recordAudit(tx, realmId, null, [
    {
      type: "realm_setting_changed",
      data: { setting: "authentication_methods", old: changed.before, new: changed.after },
    },
  ]);
  emit(tx, realmId, realmUpdatedEvents(methodFields(changed.after)));
  return changed.after;
}
