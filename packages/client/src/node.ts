import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Client, type ClientOptions } from "./client.ts";
import { parseZuliprc } from "./zuliprc.ts";

/**
 * Makes a client with the credentials of a `zuliprc` file.
 * @param path `~/.zuliprc` unless given
 * @throws Error if the file cannot be read or used
 */
export async function clientFromZuliprc(
  path = join(homedir(), ".zuliprc"),
  options: Omit<ClientOptions, "site" | "email" | "apiKey"> = {},
): Promise<Client> {
  return new Client({ ...options, ...parseZuliprc(await readFile(path, "utf8")) });
}
