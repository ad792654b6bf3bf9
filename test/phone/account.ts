import { readFile } from "node:fs/promises";

/** The phone's account, as read from a zuliprc file. */
export interface Account {
  readonly site: string;
  readonly email: string;
  readonly key: string;
}

/** @throws Error when the file is not a zuliprc */
export async function readZuliprc(path: string): Promise<Account> {
  const text = await readFile(path, "utf8");
  const field = (name: string) => {
    const value = new RegExp(`^${name}=(.+)$`, "m").exec(text)?.[1];
    if (value === undefined) throw new Error(`${path} has no ${name}`);
    return value.trim();
  };
  return { site: field("site"), email: field("email"), key: field("key") };
}

/** Posts a form as the account. @throws Error with the answer unless it is a success */
export async function post(
  { site, email, key }: Account,
  path: string,
  fields: Readonly<Record<string, string | number>> = {},
): Promise<Record<string, unknown>> {
  const form = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  const response = await fetch(`${site}/api/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}` },
    body: new URLSearchParams(form),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (answer["result"] !== "success") throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
  return answer;
}
