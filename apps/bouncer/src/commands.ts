import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { applyMigrations, connectStore, ensureDatabase, type Store } from "@carillon/db";
import { randomKey, required, sealerOf, StartupError, type Environment } from "@carillon/kit";
import { fromBase64 } from "./base64.ts";
import { addKeyPair, ensureKeyPair, listPublicKeys, removeKeyPair } from "./store/key-pairs.ts";
import { bouncerMigrations } from "@carillon/push";
import { listServers, putServer, removeServer } from "./store/servers.ts";
import { isUuid } from "./uuid.ts";

export const usage = `npm run bouncer -- COMMAND

  migrate                 creates or migrates the database of BOUNCER_DATABASE_URL
  add-server [--name NAME] [--rate CALLS] [--realm UUID]...
                          registers a chat server, and prints its PUSH_SERVER_ID and PUSH_SERVER_KEY;
                          --rate: calls in 60 s, default 1000, 0 for no limit;
                          --realm: restrict it to these organizations
  list-servers            lists servers with their numbers of devices
  remove-server ID        removes a server and all its registrations
  public-keys             prints the public keys for phones, newest first
  add-key                 adds a key pair
  remove-key KEY          removes a key pair; registrations encrypted with it are refused from then on`;

const usualRate = 1_000;
/**
 * Runs one operator command of the bouncer.
 * @returns the text to print
 * @throws StartupError with the usage, or with one line that says what is wrong
 */
export async function runCommand(env: Environment, args: readonly string[]): Promise<string> {
  const [command = "", ...rest] = args;
  const work = command === "migrate" ? undefined : commands.get(command);
  if (!work && command !== "migrate") throw new StartupError(usage);
  const url = required(env, "BOUNCER_DATABASE_URL", "the bouncer's database");
  if (!work) return migrate(url);
  const store = await connectStore(url, { max: 1, name: "bouncer command" }, bouncerMigrations);
  try {
    return await work(store, rest, env);
  } finally {
    await store.close();
  }
}

async function migrate(url: string): Promise<string> {
  await ensureDatabase(url, bouncerMigrations.variable);
  const applied = await applyMigrations(url, bouncerMigrations);
  return applied.length > 0 ? `Applied ${applied.join(", ")}.` : "Nothing to apply.";
}

type Command = (store: Store, args: string[], env: Environment) => Promise<string>;

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["add-server", addServer],
  [
    "list-servers",
    async (store) =>
      (await listServers(store))
        .map(
          ({ id, name, rateLimit, realms, registrations }) =>
            `${id}  ${name}  ${rateLimit ?? "any number of"} calls in 60 s, ` +
            `${realms ? realms.join(" ") : "any organization"}, ${registrations} devices`,
        )
        .join("\n"),
  ],
  [
    "remove-server",
    async (store, [id = ""]) => {
      if (!isUuid(id) || !(await removeServer(store, id)))
        throw new StartupError(`there is no server ${id}: see list-servers`);
      return `Removed ${id}.`;
    },
  ],
  [
    "public-keys",
    async (store, _args, env) => {
      await ensureKeyPair(store, sealerFor(env));
      return (await listPublicKeys(store)).join("\n");
    },
  ],
  ["add-key", (store, _args, env) => addKeyPair(store, sealerFor(env))],
  [
    "remove-key",
    async (store, [key = ""]) => {
      const bytes = fromBase64(key);
      if (!bytes || !(await removeKeyPair(store, bytes)))
        throw new StartupError(`there is no key ${key}: see public-keys`);
      return `Removed ${key}.`;
    },
  ],
]);

async function addServer(store: Store, args: string[]): Promise<string> {
  const { name, rate, realm: realms } = optionsOf(args);
  const calls = rate === undefined ? usualRate : Number(rate);
  if (!Number.isInteger(calls) || calls < 0 || calls > 1_000_000_000)
    throw new StartupError("--rate must be a number of calls in 60 s, or 0 for no limit");
  const wrong = realms?.find((one) => !isUuid(one));
  if (wrong !== undefined)
    throw new StartupError(`--realm must be the UUID of an organization, not ${wrong}`);
  const made = { id: randomUUID(), key: randomKey() };
  await putServer(store, {
    ...made,
    name: name ?? "server",
    rateLimit: calls === 0 ? null : calls,
    realms: realms ?? null,
  });
  return `PUSH_SERVER_ID=${made.id}\nPUSH_SERVER_KEY=${made.key}`;
}

function optionsOf(args: string[]) {
  try {
    const options = {
      name: { type: "string" },
      rate: { type: "string" },
      realm: { type: "string", multiple: true },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
}

function sealerFor(env: Environment) {
  return sealerOf(required(env, "SECRET_KEY", "the secret that keys are sealed with"), "bouncer");
}
