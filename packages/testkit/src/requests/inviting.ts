import type { Database } from "@carillon/db";
import { sendMail } from "@carillon/jobs";
import type { Mail } from "@carillon/mail";
import { unqueuedIntents } from "@carillon/outbox";

import type { Gateway } from "../gateway.ts";
import type { Answer } from "../gateway-client.ts";
import { runJob } from "../jobs.ts";

/** Runs all pending mail jobs. @returns the mails */
export async function sentMails(db: Database): Promise<Mail[]> {
  const intents = await unqueuedIntents(db, { jobs: [sendMail.name], olderThanMs: 0, limit: 999 });
  const sent: Mail[] = [];
  for (const { intentId, version } of intents)
    sent.push(...(await runJob(db, sendMail, { intentId, version })).mail);
  return sent;
}

/**
 * Returns the key in the link of a mail, or in a URL.
 * @throws Error if there is none
 */
export function keyIn(text: string | undefined): string {
  const [, key] = /\/join\/([0-9A-Za-z]{28,})\/\s*$/m.exec(text ?? "") ?? [];
  if (key === undefined) throw new Error(`no link in ${text}`);
  return key;
}

/** Opens a page and sends its form, as a browser does. */
export function browser(gateway: Pick<Gateway, "anonymous">) {
  const open = (path: string): Promise<Answer> => gateway.anonymous.send("GET", path);
  /** @param headers in addition to those of a browser */
  const submit = async (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const shown = await open(path);
    const [, token = ""] = /name="csrf_token" value="([^"]+)"/.exec(shown.text) ?? [];
    return post(path, { csrf_token: token, ...fields }, cookieOf(shown), headers);
  };
  const post = (
    path: string,
    fields: Readonly<Record<string, string>>,
    cookie = "",
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    gateway.anonymous.send("POST", path, {
      body: new URLSearchParams(fields),
      headers: { Cookie: cookie, ...headers },
      redirect: "manual",
    });
  /** Opens a page that has a form, for {@link post}. */
  const opened = async (path: string): Promise<{ token: string; cookie: string }> => {
    const shown = await open(path);
    const [, token = ""] = /name="csrf_token" value="([^"]+)"/.exec(shown.text) ?? [];
    return { token, cookie: cookieOf(shown) };
  };
  return { open, submit, post, opened };
}

function cookieOf({ headers }: Answer): string {
  return (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}
