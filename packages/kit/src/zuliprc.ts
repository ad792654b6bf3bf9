/**
 * Makes the text of a zuliprc file, by which clients log in.
 * @param site URL of the account's organization
 */
export function zuliprc(site: string, email: string, apiKey: string): string {
  return `[api]\nemail=${email}\nkey=${apiKey}\nsite=${site}\n`;
}
