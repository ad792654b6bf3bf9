import type { Database } from "@carillon/db";
import { makeResetLink, sendMail } from "@carillon/jobs";
import type { Mail } from "@carillon/mail";
import { unqueuedIntents } from "@carillon/outbox";

import type { Gateway } from "../gateway.ts";
import type { Answer } from "../gateway-client.ts";
import { runJob, type RunJobOptions } from "../jobs.ts";

/** Runs all pending mail jobs, after those that make the links of password resets. @returns the mails */
export async function sentMails(
  db: Database,
  services: RunJobOptions["services"] = {},
): Promise<Mail[]> {
  const sent: Mail[] = [];
  for (const job of [makeResetLink, sendMail]) {
    const intents = await unqueuedIntents(db, { jobs: [job.name], olderThanMs: 0, limit: 999 });
    for (const { intentId, version } of intents)
      sent.push(...(await runJob(db, job, { intentId, version }, { services })).mail);
  }
  return sent;
}

/**
 * Returns the link that is alone on a line of a mail, where people cannot miss it.
 * @throws Error if there is none
 */
export function linkIn(mail: Pick<Mail, "text"> | undefined): string {
  const [link] = /^https?:\S+$/m.exec(mail?.text ?? "") ?? [];
  if (link === undefined) throw new Error(`no link in ${JSON.stringify(mail)}`);
  return link;
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
