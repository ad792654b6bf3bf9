import { rm, writeFile } from "node:fs/promises";
import { findNamedAccount, findOrganization, replaceApiKey } from "@carillon/domain";
import type { Account } from "@carillon/model";

import type { Context } from "../context.ts";
import { reserveFile, zuliprc } from "../credentials.ts";
import { atWork } from "../installation.ts";
import { addressOf } from "../reachable.ts";

interface Options {
  readonly organization?: string;
}

/** What an account has from the commit on. */
interface Issued {
  /** The address of its organization. */
  readonly site: string;
  readonly account: Account;
  readonly apiKey: string;
}

/** Gives an account another key, in a file. */
export async function issueKey(
  context: Context,
  named: string,
  options: Options & { readonly zuliprc: string },
): Promise<void> {
  const { terminal, holds } = context;
  const { zuliprc: file } = options;
  const textOf = ({ site, account, apiKey }: Issued) => zuliprc(site, account, apiKey);
  let issued: Issued;
  if (file === "-") {
    issued = await replace(context, named, options);
    terminal.say(textOf(issued).trimEnd());
  } else {
    reserveFile(file);
    let written = false;
    // Before the commit: where it cannot be written, the old key goes on.
    const keep = async (made: Issued) => {
      await writeFile(file, textOf(made), { flag: "r+", flush: true });
      written = true;
    };
    // From then on nobody knows whether the commit came about: the key may be the one that counts.
    const undo = async () =>
      written
        ? terminal.note(`${file} has a new key, which counts only if the change was still made.`)
        : rm(file, { force: true });
    issued = await holds.orUndo(undo, () => replace(context, named, options, keep));
  }
  terminal.note(`${issued.account.deliveryEmail} has another API key.`);
}

/** Has an account's key refused: it has another one that nobody was told. */
export async function revokeKey(context: Context, named: string, options: Options): Promise<void> {
  const { account } = await replace(context, named, options);
  context.terminal.say(`The API key of ${account.deliveryEmail} is refused from now on.`);
}

/** @param keep is run with the new key before the commit, and again where the transaction has to */
function replace(
  context: Context,
  named: string,
  { organization }: Options,
  keep: (issued: Issued) => Promise<void> = async () => {},
): Promise<Issued> {
  return atWork(context, async (workplace) => {
    const { db } = workplace;
    const realm = await findOrganization(db, organization);
    const account = await findNamedAccount(db, realm, named);
    const site = addressOf(context, workplace, realm);
    return db.transaction(async (tx) => {
      const apiKey = await replaceApiKey(tx, workplace.site, account);
      const issued = { site, account, apiKey };
      await keep(issued);
      return issued;
    });
  });
}
