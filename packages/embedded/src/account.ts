import { StartupError } from "@carillon/kit";
import { execFileSync, type SpawnOptions } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";

/** How PostgreSQL's programs are started, and who owns their files. */
export interface Account {
  /** Returns the command line that starts `program` with `args`. */
  command(program: string, args: readonly string[]): { file: string; args: string[] };
  options: Pick<SpawnOptions, "uid" | "gid">;
  /** The owner of files made for PostgreSQL; undefined for the user that this process runs as. */
  owner: { uid: number; gid: number } | undefined;
}

const currentUser: Account = {
  command: (file, args) => ({ file, args: [...args] }),
  options: {},
  owner: undefined,
};

/**
 * Chooses the user that runs PostgreSQL, which refuses to run as root. If this process is root, that is `postgres`,
 * or `nobody` if there is no such user: PostgreSQL requires an entry in /etc/passwd, but no rights. That user may
 * lack access to the folders above the programs and the data, such as root's home, so it keeps the capability to
 * bypass file permissions, unless `setpriv` is missing or may not grant it.
 * @param cluster the data directory; if it exists, its owner is the user to run as
 * @param program any program of PostgreSQL, to test whether it starts
 * @throws StartupError, which says what to do, if neither setpriv nor setuid works
 */
export function chooseAccount(cluster: string, parent: string, program: string): Account {
  if (process.getuid?.() !== 0) return currentUser;
  const owner = existsSync(cluster) ? ownerOf(cluster) : unprivilegedUser();
  const candidates = [withSetpriv(owner), withIdentity(owner)];
  const works = candidates.find((account) => reaches(account, program, parent));
  if (works) return works;
  throw new StartupError(
    `PostgreSQL does not run as root, and user ${owner.uid} may not enter ${parent} or ${program}: install setpriv (util-linux), choose a DATA_DIR that every user may enter, start Carillon as another user, or set DATABASE_URL`,
  );
}

function withSetpriv(owner: { uid: number; gid: number }): Account {
  const right = "-all,+dac_override";
  const prefix = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    "--clear-groups",
    "--securebits=+no_setuid_fixup",
    `--inh-caps=${right}`,
    `--ambient-caps=${right}`,
    `--bounding-set=${right}`,
  ];
  return {
    command: (program, args) => ({ file: "setpriv", args: [...prefix, program, ...args] }),
    options: {},
    owner,
  };
}

function withIdentity(owner: { uid: number; gid: number }): Account {
  return { ...currentUser, options: owner, owner };
}

/** Returns whether the account can start a program of PostgreSQL and enter `parent`. */
function reaches(account: Account, program: string, parent: string): boolean {
  const quiet = { stdio: "ignore", ...account.options, cwd: "/" } as const;
  try {
    for (const [file, args] of [
      [program, ["--version"]],
      ["/bin/sh", ["-c", 'test -x "$0"', parent]],
    ] as const) {
      const command = account.command(file, args);
      execFileSync(command.file, command.args, quiet);
    }
    return true;
  } catch {
    return false;
  }
}

function ownerOf(path: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(path);
  return uid === 0 ? unprivilegedUser() : { uid, gid };
}

function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((user) => user.uid > 0);
  const user =
    users.find(({ name }) => name === "postgres") ??
    users.find(({ name }) => name === "nobody") ??
    users[0];
  if (!user) {
    throw new StartupError(
      "PostgreSQL does not run as root and /etc/passwd has no other user: add one with `useradd postgres`, or set DATABASE_URL",
    );
  }
  return { uid: user.uid, gid: user.gid };
}
