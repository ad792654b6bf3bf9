import { roles } from "@carillon/contract";
import { createAccount, findNamedAccount, findOrganization, resetPassword } from "@carillon/domain";

import type { Context } from "../context.ts";
import { atWork } from "../installation.ts";
import { askForPerson } from "../new-person.ts";
import { secretFrom } from "../secret-input.ts";

interface Options {
  readonly organization?: string;
  readonly passwordFile?: string;
}

/** Makes an account. */
export async function addAccount(
  context: Context,
  options: Options & {
    readonly name?: string;
    readonly email?: string;
    readonly role: keyof typeof roles;
  },
): Promise<void> {
  const { terminal } = context;
  const person = await askForPerson(terminal, options, { who: "person", prefix: "" });
  await atWork(context, async ({ db, site }) => {
    const realm = await findOrganization(db, options.organization);
    const role = roles[options.role];
    const { account } = await createAccount(db, site, realm, { ...person, role });
    terminal.say(
      `Made the account ${account.id} of ${account.deliveryEmail}, ${options.role} of ${realm.name}.`,
    );
  });
}

/** Gives a person another password. */
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
  await atWork(context, async ({ db }) => {
    const realm = await findOrganization(db, options.organization);
    const account = await findNamedAccount(db, realm, named);
    await resetPassword(db, account, password);
    terminal.say(`${account.deliveryEmail} has another password.`);
  });
}
