import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "./root.mjs";

// Not in node_modules, which an installation empties.
const path = join(root, ".turbo", "install.lock");

/**
 * Runs `work` while no other process of this clone is in here. The lock of a process that is gone counts for nothing.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function exclusively(work) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, identity(process.pid));
  try {
    for (let attempt = 0; !take(mine); attempt++) {
      if (attempt === 2) {
        console.log("Another process installs or builds in this folder; waiting for it.");
      }
      await pause(250);
    }
    process.on("exit", release);
    try {
      return await work();
    } finally {
      process.off("exit", release);
      release();
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function take(mine) {
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const holder = read(path);
  if (holder !== undefined && isStale(holder)) {
    const aside = `${mine}.stale`;
    try {
      renameSync(path, aside);
      // Somebody was faster and what we moved away is a live lock: put it back.
      if (read(aside) !== holder) linkSync(aside, path);
    } catch {
      // Somebody was faster; the next round tells.
    }
    rmSync(aside, { force: true });
  }
  return false;
}

function release() {
  if (read(path) === identity(process.pid)) rmSync(path, { force: true });
}

function isStale(holder) {
  const pid = Number(holder.split(" ")[0]);
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code !== "EPERM";
  }
  return identity(pid) !== holder;
}

/** The number of a process and, where Linux tells it, when it started: numbers come back after a restart. */
function identity(pid) {
  const status = read(`/proc/${pid}/stat`);
  const started = status?.slice(status.lastIndexOf(")") + 2).split(" ")[19];
  return started ? `${pid} ${started}` : String(pid);
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
