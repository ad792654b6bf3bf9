import { rm, writeFile } from "node:fs/promises";
import { findNamedAccount, findOrganization, replaceApiKey } from "@carillon/domain";
import type { Account, Realm, Site } from "@carillon/model";

import type { Context } from "../context.ts";
import { reserveFile, zuliprc } from "../credentials.ts";
import { atWork } from "../installation.ts";

interface Options {
  readonly organization?: string;
}

/** Gives an account another key, in a file. */
export async function issueKey(
  context: Context,
  named: string,
  options: Options & { readonly zuliprc: string },
): Promise<void> {
  const { terminal } = context;
  const file = options.zuliprc === "-" ? undefined : options.zuliprc;
  if (file !== undefined) await reserveFile(file);
  try {
    const { site, realm, account, apiKey } = await replace(context, named, options);
    const text = zuliprc(site, realm, account, apiKey);
    if (file === undefined) terminal.say(text.trimEnd());
    else await writeFile(file, text);
    terminal.note(`${account.deliveryEmail} has another API key.`);
  } catch (error) {
    if (file !== undefined) await rm(file, { force: true });
    throw error;
  }
}

/** Has an account's key refused: it has another one that nobody was told. */
export async function revokeKey(context: Context, named: string, options: Options): Promise<void> {
  const { account } = await replace(context, named, options);
  context.terminal.say(`The API key of ${account.deliveryEmail} is refused from now on.`);
}

function replace(
  context: Context,
  named: string,
  { organization }: Options,
): Promise<{ site: Site; realm: Realm; account: Account; apiKey: string }> {
  return atWork(context, async ({ db, site }) => {
    const realm = await findOrganization(db, organization);
    const account = await findNamedAccount(db, realm, named);
    const apiKey = await db.transaction((tx) => replaceApiKey(tx, site, account));
    return { site, realm, account, apiKey };
  });
}
