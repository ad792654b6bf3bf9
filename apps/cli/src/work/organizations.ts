import { listOrganizations, openOrganization } from "@carillon/domain";
import { realmUrl } from "@carillon/model";

import type { Context } from "../context.ts";
import { atWork } from "../installation.ts";
import { given, secretFrom } from "../secret-input.ts";

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
  const fullName = await given(terminal, options.ownerName, {
    question: "The owner's full name",
    option: "--owner-name",
  });
  const email = await given(terminal, options.ownerEmail, {
    question: "The owner's e-mail address",
    option: "--owner-email",
  });
  const password = await secretFrom(terminal, options.passwordFile, {
    what: "owner's password",
    option: "--password-file",
  });
  await atWork(context, async ({ db, site }) => {
    const { subdomain } = options;
    const owner = { fullName, email, password };
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
