import { roles } from "@carillon/contract";
import {
  createAccount,
  deactivateForOperator,
  findNamedAccount,
  findOrganization,
  listAccounts,
  type ListedAccount,
  makeOwner,
  reactivateForOperator,
  resetPassword,
} from "@carillon/domain";

import type { Context } from "../context.ts";
import { withDatabase } from "../installation.ts";
import { readPerson } from "../new-person.ts";
import { secretFrom } from "../secret-input.ts";

interface Options {
  readonly organization?: string;
  readonly passwordFile?: string;
}

/** Creates an account. */
export async function addAccount(
  context: Context,
  options: Options & {
    readonly name?: string;
    readonly email?: string;
    readonly role: keyof typeof roles;
  },
): Promise<void> {
  const { terminal } = context;
  const person = await readPerson(terminal, options, { who: "person", prefix: "" });
  await withDatabase(context, async ({ db, site }) => {
    const realm = await findOrganization(db, options.organization);
    const role = roles[options.role];
    const { account } = await createAccount(db, site, realm, { ...person, role });
    terminal.say(
      `Created account ${account.id} (${account.deliveryEmail}), ${options.role} of ${realm.name}.`,
    );
  });
}

/** Prints one line for each account. */
export async function showAccounts(
  context: Context,
  options: Options & { readonly json?: boolean },
): Promise<void> {
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    for await (const page of listAccounts(db, realm))
      for (const account of page)
        context.terminal.say(options.json ? JSON.stringify(asJson(account)) : asText(account));
  });
}

function asJson({ role, joined, ...account }: ListedAccount): object {
  return { ...account, role: roleName(role), joined: new Date(joined * 1_000).toISOString() };
}

function asText({ id, email, name, role, bot, owner, active }: ListedAccount): string {
  const kind = bot
    ? `bot${owner === null ? "" : ` of ${owner}`}, ${roleName(role)}`
    : roleName(role);
  return `${id}  ${email}  ${name}  ${kind}${active ? "" : "  deactivated"}`;
}

function roleName(role: number): string {
  return Object.entries(roles).find(([, value]) => value === role)?.[0] ?? String(role);
}

/** Deactivates a person with their bots, or a bot. */
export async function deactivate(context: Context, named: string, options: Options): Promise<void> {
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    const account = await findNamedAccount(db, realm, named);
    await deactivateForOperator(db, account);
    context.terminal.say(
      `Deactivated ${account.deliveryEmail} of ${realm.name}: the API key is refused from now on.`,
    );
  });
}

/** Reactivates a person. */
export async function reactivate(context: Context, named: string, options: Options): Promise<void> {
  await withDatabase(context, async ({ db, site }) => {
    const realm = await findOrganization(db, options.organization);
    const account = await findNamedAccount(db, realm, named);
    const changed = await db.transaction((tx) => reactivateForOperator(tx, site, account));
    context.terminal.say(
      `${account.deliveryEmail} of ${realm.name} is active${changed ? "" : " already"}.`,
    );
  });
}

/** Makes a person an owner. */
export async function promote(context: Context, named: string, options: Options): Promise<void> {
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    const account = await findNamedAccount(db, realm, named);
    const changed = await db.transaction((tx) => makeOwner(tx, account));
    context.terminal.say(
      `${account.deliveryEmail} is an owner of ${realm.name}${changed ? "" : " already"}.`,
    );
  });
}

/** Resets a person's password. */
export async function setPassword(
  context: Context,
  named: string,
  options: Options,
): Promise<void> {
  const { terminal } = context;
  const password = await secretFrom(terminal, options.passwordFile, {
    what: "new password",
    option: "--password-file",
  });
  await withDatabase(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    const account = await findNamedAccount(db, realm, named);
    await resetPassword(db, account, password);
    terminal.say(`Password of ${account.deliveryEmail} changed.`);
  });
}
