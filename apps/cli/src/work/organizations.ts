import {
  findOrganization,
  listOrganizations,
  noSubdomain,
  openOrganization,
  setLimits,
} from "@carillon/domain";
import { countCreated } from "@carillon/model";

import type { Context } from "../context.ts";
import { atWork } from "../installation.ts";
import { askForPerson } from "../new-person.ts";
import { addressOf, whyUnreachable } from "../reachable.ts";
import { given } from "../secret-input.ts";

/** Makes an organization with its owner. */
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
    question: "What the organization is called",
    option: "--name",
  });
  const { ownerName, ownerEmail, passwordFile } = options;
  const owner = await askForPerson(
    terminal,
    { name: ownerName, email: ownerEmail, passwordFile },
    { who: "owner", prefix: "owner-" },
  );
  await atWork(context, async (workplace) => {
    const subdomain = options.subdomain === noSubdomain ? "" : options.subdomain;
    const made = await openOrganization(workplace.db, workplace.site, { name, subdomain, owner });
    const unreachable = whyUnreachable(workplace, made.realm);
    const at = unreachable === undefined ? ` at ${addressOf(context, workplace, made.realm)}` : "";
    terminal.say(
      `Made the organization ${made.realm.name}${at}, with the owner ${made.owner.deliveryEmail}.`,
    );
    if (unreachable !== undefined) terminal.note(`${unreachable}.`);
  });
}

/** One line an organization. */
export async function showOrganizations(context: Context): Promise<void> {
  await atWork(context, async ({ db }) => {
    for (const { subdomain, name, accounts } of await listOrganizations(db))
      context.terminal.say(`${subdomain || noSubdomain}  ${name}  ${accounts} active accounts`);
  });
}

/** Changes the limits that are given, and shows all. */
export async function limitOrganization(
  context: Context,
  options: {
    readonly organization?: string;
    readonly channels?: number;
    readonly userGroups?: number;
    readonly bots?: number;
  },
): Promise<void> {
  await atWork(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    const { channels, userGroups, bots } = options;
    await db.transaction((tx) => setLimits(tx, realm.id, { channels, userGroups, bots }));
    for (const { name, count, limit } of await countCreated(db, realm.id))
      context.terminal.say(`${realm.name} has ${count} ${name} and may have ${limit}.`);
  });
}
