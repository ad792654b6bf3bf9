import { rm, writeFile } from "node:fs/promises";
import { findNamedAccount, findOrganization, replaceApiKey } from "@carillon/domain";
import { zuliprc } from "@carillon/kit";
import type { Account } from "@carillon/model";

import type { Context } from "../context.ts";
import { reserveFile } from "../credentials.ts";
import { withDatabase } from "../installation.ts";
import { addressOf } from "../reachable.ts";

interface Options {
  readonly organization?: string;
}

/** A newly issued key. */
interface Issued {
  /** URL of the account's organization. */
  readonly site: string;
  readonly account: Account;
  readonly apiKey: string;
}

/** Issues a new key for an account and writes it to a file. */
export async function issueKey(
  context: Context,
  named: string,
  options: Options & { readonly zuliprc: string },
): Promise<void> {
  const { terminal, cleanups } = context;
  const { zuliprc: file } = options;
  const textOf = ({ site, account, apiKey }: Issued) =>
    zuliprc(site, account.deliveryEmail, apiKey);
  let issued: Issued;
  if (file === "-") {
    issued = await replace(context, named, options);
    terminal.say(textOf(issued).trimEnd());
  } else {
    reserveFile(file);
    let written = false;
    // Before the commit: if the file cannot be written, the old key stays valid.
    const keep = async (made: Issued) => {
      await writeFile(file, textOf(made), { flag: "r+", flush: true });
      written = true;
    };
    // After writing, the commit may or may not have happened, so the file is kept.
    const undo = async () =>
      written
        ? terminal.note(`${file} has a new key, which is valid only if the change was committed.`)
        : rm(file, { force: true });
    issued = await cleanups.orUndo(undo, () => replace(context, named, options, keep));
  }
  terminal.note(`New API key issued for ${issued.account.deliveryEmail}.`);
}

/** Revokes an account's key by replacing it with an unknown one. */
export async function revokeKey(context: Context, named: string, options: Options): Promise<void> {
  const { account } = await replace(context, named, options);
  context.terminal.say(`API key of ${account.deliveryEmail} revoked.`);
}

/**
 * Replaces the API key of an account.
 * @param keep called with the new key before the commit; again if the transaction is retried
 */
function replace(
  context: Context,
  named: string,
  { organization }: Options,
  keep: (issued: Issued) => Promise<void> = async () => {},
): Promise<Issued> {
  return withDatabase(context, async (connected) => {
    const { db } = connected;
    const realm = await findOrganization(db, organization);
    const account = await findNamedAccount(db, realm, named);
    const site = addressOf(context, connected, realm);
    return db.transaction(async (tx) => {
      const apiKey = await replaceApiKey(tx, connected.site, account);
      const issued = { site, account, apiKey };
      await keep(issued);
      return issued;
    });
  });
}
