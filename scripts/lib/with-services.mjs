import { freePort, startEmbeddedPostgres, testSettings } from "@carillon/embedded";
import { isAlive, silentLogger } from "@carillon/kit";
import { spawn } from "node:child_process";
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedis } from "./redis.mjs";
import { scratchFolder, scratchFolders } from "./scratch.mjs";

// node with-services.mjs PURPOSE COMMAND…: runs the command with servers of its own, which end with it.
const [purpose, file, ...args] = process.argv.slice(2);
const prefix = "carillon-servers-";
// A bench measures the disk too.
const parent = purpose === "test" ? scratchFolder() : tmpdir();
const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));

let child;
let interrupted;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (!interrupted) setTimeout(() => child?.kill("SIGKILL"), 8_000).unref();
    interrupted = signal;
    child?.kill(signal);
  });
}

sweep();
const servers = [];
let code = 1;
try {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, "data"),
    log: silentLogger,
    // A bench measures what is shipped, every commit on disk, and asks when each commit was.
    settings: purpose === "test" ? testSettings : { track_commit_timestamp: "on" },
  });
  servers.push(postgres);
  const redis = await startRedis(join(folder, "redis"), await freePort());
  if (redis) {
    servers.push(redis);
    writeFileSync(join(folder, "redis.pid"), String(redis.pid));
  } else {
    console.log("redis-server is not installed: what needs Redis is skipped.");
  }
  const name = `CARILLON_${purpose.toUpperCase()}`;
  const env = { [`${name}_DATABASE_URL`]: postgres.url };
  if (redis) env[`${name}_REDIS_URL`] = redis.url;
  if (!interrupted) code = await run(env);
} catch (error) {
  // Ctrl-C reaches what is being started too.
  if (!interrupted) console.error(error);
} finally {
  await Promise.allSettled(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(interrupted ? 130 : code);

function run(env) {
  return new Promise((resolve) => {
    child = spawn(file, args, { stdio: "inherit", env: { ...process.env, ...env } });
    child.on("error", (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.on("exit", (status, signal) => resolve(status ?? (signal === "SIGINT" ? 130 : 143)));
  });
}

/** Ends the servers of runs that were killed and removes their folders. */
function sweep() {
  const folders = scratchFolders().flatMap((each) =>
    readdirSync(each).map((name) => ({ each, name })),
  );
  for (const { each, name } of folders.filter((entry) => entry.name.startsWith(prefix))) {
    const left = join(each, name);
    if (isAlive(Number(name.slice(prefix.length).split("-")[0]))) continue;
    for (const record of ["data/postgres/postmaster.pid", "redis.pid"]) {
      try {
        const pid = Number(readFileSync(join(left, record), "utf8").split("\n")[0]);
        // Both work in their folder; another process may have got the number since.
        if (readlinkSync(`/proc/${pid}/cwd`).startsWith(left)) process.kill(pid, "SIGQUIT");
      } catch {
        // Not there, or gone already.
      }
    }
    rmSync(left, { recursive: true, force: true });
  }
}
