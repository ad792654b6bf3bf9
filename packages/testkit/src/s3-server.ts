import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { reservePort } from "./reserve-port.ts";
import { waitFor } from "./wait-for.ts";

/** An S3 server for one suite, which can be killed, restarted and frozen. */
export interface S3Server {
  /** For `readEnvironment`: `S3_BUCKET`, an empty bucket, and the other variables. They stay the same over restarts. */
  readonly variables: Readonly<Record<string, string>>;
  /** Kills it. Resolves when it has exited. */
  kill(): Promise<void>;
  /** Starts it again, with the same objects. */
  start(): Promise<void>;
  /** Stops the process with SIGSTOP: connections stay open, and nothing is answered. */
  freeze(): void;
  /** Lets a frozen process continue. */
  thaw(): void;
  /** Kills it permanently, and removes its data. */
  close(): Promise<void>;
}

/** Where `.ci/run` installs the server. */
const cached = join(
  process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"),
  "carillon/versitygw-1.8.0/versitygw",
);

/** Returns the program of the S3 server: in `PATH`, or where `.ci/run` installs it. Undefined if there is none. */
export function s3Program(): string | undefined {
  if (!spawnSync("versitygw", ["--version"]).error) return "versitygw";
  return existsSync(cached) ? cached : undefined;
}

/** Starts versitygw on an empty folder. */
export async function startS3Server(program: string): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-s3-"));
  const objects = join(folder, "objects");
  const sidecar = join(folder, "sidecar");
  await mkdir(join(objects, "files"), { recursive: true });
  await mkdir(sidecar);
  const port = await reservePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const [id, secret] = ["carillon", "not a secret"] as const;
  const server = ["--port", `127.0.0.1:${port}`, "--access", id, "--secret", secret];
  const options = ["--keep-alive", "--quiet", "posix", "--sidecar", sidecar, objects];
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const start = async () => {
    child = spawn(program, [...server, ...options], { stdio: "ignore" });
    await waitFor(async () => (await fetch(endpoint)).status > 0, { what: "versitygw answers" });
  };
  await start();
  return {
    variables: {
      S3_BUCKET: "files",
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: id,
      S3_SECRET_ACCESS_KEY: secret,
    },
    kill,
    start,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
