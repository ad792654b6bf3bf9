import { StartupError } from "@carillon/kit";
import { execFile } from "node:child_process";
import { chown, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";

/** The role and the database that Carillon uses. The superuser cannot log in over the network. */
export const role = "carillon";

const hostRules = `# Only Carillon's own role, by password, from this machine.
host all ${role} 127.0.0.1/32 scram-sha-256
`;

/**
 * Initialises the data directory `cluster`: UTF-8 with case folding beyond ASCII on any system, and the role
 * `carillon`, which may create databases, with a database of the same name. It is built in a temporary folder and
 * renamed when it is complete.
 * @param durable false skips syncing to disk, for tests
 */
export async function initialise(
  cluster: string,
  password: string,
  binaries: Binaries,
  account: Account,
  durable: boolean,
): Promise<void> {
  const temporary = `${cluster}.new`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { mode: 0o700 });
  if (account.owner) await chown(temporary, account.owner.uid, account.owner.gid);
  await execute(account, binaries.initdb, [
    `--pgdata=${temporary}`,
    "--username=postgres",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--auth=reject",
    "--no-instructions",
    ...(durable ? [] : ["--no-sync"]),
  ]);
  // Overwritten instead of replaced, so that the file keeps its owner.
  await writeFile(join(temporary, "pg_hba.conf"), hostRules);
  await execute(
    account,
    binaries.postgres,
    [
      "--single",
      "-D",
      temporary,
      "-c",
      "log_min_messages=error",
      ...(durable ? [] : ["-F"]),
      "postgres",
    ],
    [
      `CREATE ROLE ${role} LOGIN CREATEDB PASSWORD '${password}'`,
      `GRANT pg_monitor, pg_checkpoint TO ${role}`,
      `CREATE DATABASE ${role} OWNER ${role}`,
      "",
    ].join("\n"),
  );
  await rename(temporary, cluster);
}

function execute(
  account: Account,
  program: string,
  args: readonly string[],
  input = "",
): Promise<void> {
  const command = account.command(program, args);
  return new Promise((resolve, reject) => {
    const child = execFile(
      command.file,
      command.args,
      { ...account.options, cwd: "/" },
      (error, _stdout, stderr) => {
        // A statement that fails in single-user mode only prints an error; the exit code is still 0.
        const failure = /^.*(ERROR|FATAL):.*$|^\w+: error:.*$/m.exec(stderr)?.[0];
        if (error || failure) {
          reject(
            new StartupError(
              `the embedded PostgreSQL could not be initialised in DATA_DIR: ${failure ?? (stderr.trim() || error?.message)}`,
            ),
          );
        } else resolve();
      },
    );
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
