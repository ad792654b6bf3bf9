import { StartupError } from "@carillon/kit";
import { execFileSync, type SpawnOptions } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";

/** How PostgreSQL's programs are started, and who owns the files they make. */
export interface Account {
  /** The command line that starts `program` with `args`. */
  command(program: string, args: readonly string[]): { file: string; args: string[] };
  options: Pick<SpawnOptions, "uid" | "gid">;
  /** The owner that files made for PostgreSQL need; undefined: the user that we run as. */
  owner: { uid: number; gid: number } | undefined;
}

const ourselves: Account = {
  command: (file, args) => ({ file, args: [...args] }),
  options: {},
  owner: undefined,
};

/**
 * PostgreSQL refuses to run as root. Started by root it runs as user `postgres`, or as `nobody` where there
 * is none (it asks for an entry in the password file, not for rights). Such a user may not be allowed to enter
 * the folders above the programs and the data, a home of root for one, so that it keeps one right of root,
 * to pass by file permissions. Where `setpriv` is missing or may not grant that, it goes without.
 * @param cluster the data directory: once made, its owner is the user to run as
 * @param program any of PostgreSQL's programs, to try whether it starts
 * @throws StartupError where no way works, saying what to do
 */
export function chooseAccount(cluster: string, parent: string, program: string): Account {
  if (process.getuid?.() !== 0) return ourselves;
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
  return { ...ourselves, options: owner, owner };
}

/** True when a program started so can be started and could make its folder in `parent`. */
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
