import { parseDomain } from "@carillon/contract";
import {
  changeDomains,
  enableMethods,
  findOrganization,
  listOrganizations,
  type NamedOrganization,
  noSubdomain,
  openOrganization,
  setDeactivated,
  setLimits,
} from "@carillon/domain";
import { countCreated } from "@carillon/model";

import type { Context } from "../context.ts";
import { withDatabase } from "../installation.ts";
import { readPerson } from "../new-person.ts";
import { addressOf, whyUnreachable } from "../reachable.ts";
import { given } from "../secret-input.ts";
import { UsageError } from "../usage-error.ts";

/** Creates an organization with its owner. */
export async function createOrganization(
  context: Context,
  options: {
    readonly name?: string;
    readonly subdomain: string;
    readonly ownerName?: string;
    readonly ownerEmail?: string;
    readonly passwordFile?: string;
  },
): Promise<void> {
  const { terminal } = context;
  const name = await given(terminal, options.name, {
    question: "Name of the organization",
    option: "--name",
  });
  const { ownerName, ownerEmail, passwordFile } = options;
  const owner = await readPerson(
    terminal,
    { name: ownerName, email: ownerEmail, passwordFile },
    { who: "owner", prefix: "owner-" },
  );
  await withDatabase(context, async (connected) => {
    const subdomain = options.subdomain === noSubdomain ? "" : options.subdomain;
    const made = await openOrganization(connected.db, connected.site, { name, subdomain, owner });
    const unreachable = whyUnreachable(connected, made.realm);
    const at = unreachable === undefined ? ` at ${addressOf(context, connected, made.realm)}` : "";
    terminal.say(
      `Created organization ${made.realm.name}${at}, owner ${made.owner.deliveryEmail}.`,
    );
    if (unreachable !== undefined) terminal.note(`${unreachable}.`);
  });
}

/** Prints one line for each organization. */
export async function showOrganizations(context: Context): Promise<void> {
  await withDatabase(context, async ({ db }) => {
    for (const one of await listOrganizations(db)) {
      const { subdomain, name, accounts } = one;
      context.terminal.say(
        [subdomain || noSubdomain, name, `${accounts} active accounts`, ...statesOf(one)].join(
          "  ",
        ),
      );
    }
  });
}

function statesOf({ readOnly, deactivated, movedTo }: NamedOrganization): string[] {
  if (movedTo !== null) return [`moved to ${movedTo}`];
  return [...(readOnly ? ["read-only"] : []), ...(deactivated ? ["deactivated"] : [])];
}

/** Changes the given limits, and prints all. */
export async function limitOrganization(
  context: Context,
  options: {
    readonly organization?: string;
    readonly channels?: number;
    readonly userGroups?: number;
    readonly bots?: number;
  },
): Promise<void> {
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    const { channels, userGroups, bots } = options;
    await db.transaction((tx) => setLimits(tx, realm.id, { channels, userGroups, bots }));
    for (const { name, count, limit } of await countCreated(db, realm.id))
      context.terminal.say(`${realm.name}: ${count} of at most ${limit} ${name}.`);
  });
}

/** Deactivates or reactivates an organization. */
export async function setOrganizationDeactivated(
  context: Context,
  { organization }: { readonly organization?: string },
  deactivated: boolean,
): Promise<void> {
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, organization);
    const changed = await db.transaction((tx) => setDeactivated(tx, realm.id, deactivated));
    const state = deactivated ? "deactivated" : "active";
    context.terminal.say(`${realm.name} is ${state}${changed ? "" : " already"}.`);
  });
}

/** Turns on the given methods of logging in, and prints all. */
export async function enableAuthentication(
  context: Context,
  { organization, enable }: { readonly organization?: string; readonly enable: readonly string[] },
): Promise<void> {
  await withDatabase(context, async ({ db, site }) => {
    const realm = await findOrganization(db, organization);
    const methods = await db.transaction((tx) => enableMethods(tx, site, realm.id, enable));
    for (const [name, isOn] of Object.entries(methods))
      context.terminal.say(`${name} is ${isOn ? "on" : "off"} in ${realm.name}.`);
  });
}

/** Changes the domains of e-mail addresses, and prints them. */
export async function showDomains(
  context: Context,
  options: {
    readonly organization?: string;
    readonly add: readonly string[];
    readonly withSubdomains: boolean;
    readonly remove: readonly string[];
    readonly unrestrict: boolean;
  },
): Promise<void> {
  const { withSubdomains, remove, unrestrict } = options;
  const add = options.add.map((text) => {
    const domain = parseDomain(text);
    if (domain === undefined)
      throw new UsageError(
        `--add must be a domain such as example.com, not ${JSON.stringify(text)}`,
      );
    return { domain, allow_subdomains: withSubdomains };
  });
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    const { domains, restricted } = await db.transaction((tx) =>
      changeDomains(tx, realm.id, { add, remove, unrestrict }),
    );
    for (const { domain, allow_subdomains: withOthers } of domains)
      context.terminal.say(`${domain}${withOthers ? " and its subdomains" : ""}`);
    context.terminal.say(
      restricted
        ? `New accounts of ${realm.name} need an address of one of these domains.`
        : `New accounts of ${realm.name} may have addresses of all domains.`,
    );
  });
}
