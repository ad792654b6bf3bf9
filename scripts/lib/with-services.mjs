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

// node with-services.mjs PURPOSE COMMAND…: runs the command with its own servers, which stop with it.
const [purpose, file, ...args] = process.argv.slice(2);
const prefix = "carillon-servers-";
// Benches measure the disk too.
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
    // Benches use durable commits, and read commit timestamps.
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
  const env = { [`${name}_DATABASE_URL`]: postgres.url, [`${name}_FOLDER`]: folder };
  if (redis) env[`${name}_REDIS_URL`] = redis.url;
  if (!interrupted) code = await run(env);
} catch (error) {
  // Ctrl-C also reaches servers that are starting.
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

/** Stops the servers of killed runs and removes their folders. */
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
        // Checks the working folder, because the pid may have been reused.
        if (readlinkSync(`/proc/${pid}/cwd`).startsWith(left)) process.kill(pid, "SIGQUIT");
      } catch {
        // It does not exist any more.
      }
    }
    rmSync(left, { recursive: true, force: true });
  }
}
