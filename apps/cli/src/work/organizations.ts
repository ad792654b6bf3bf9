import { listOrganizations, openOrganization } from "@carillon/domain";
import { realmUrl } from "@carillon/model";

import type { Context } from "../context.ts";
import { atWork } from "../installation.ts";
import { askForPerson } from "../new-person.ts";
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
  await atWork(context, async ({ db, site }) => {
    const { subdomain } = options;
    const made = await openOrganization(db, site, { name, subdomain, owner });
    terminal.say(
      `Made the organization ${made.realm.name} at ${realmUrl(site, made.realm)}, with the owner ${made.owner.deliveryEmail}.`,
    );
  });
}

/** One line an organization. */
export async function showOrganizations(context: Context): Promise<void> {
  await atWork(context, async ({ db }) => {
    for (const { subdomain, name, accounts } of await listOrganizations(db))
      context.terminal.say(`${subdomain || "-"}  ${name}  ${accounts} active accounts`);
  });
}
