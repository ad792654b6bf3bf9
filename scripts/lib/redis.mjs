import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Starts a Redis server without persistence, in a process group of its own.
 * @param {string} folder made for it
 * @param {number} port
 * @returns {Promise<{ url: string, stop(): Promise<void> } | undefined>} undefined if Redis is not installed
 */
export async function startRedis(folder, port) {
  if (spawnSync("redis-server", ["--version"]).error) return undefined;
  mkdirSync(folder);
  const options = {
    port,
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    appendonly: "no",
    // Each suite takes one or more.
    databases: 4096,
    logfile: "redis.log",
  };
  const child = spawn(
    "redis-server",
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: "ignore", detached: true },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const deadline = Date.now() + 10_000;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`redis-server did not start; see ${folder}/redis.log`);
    }
    await pause(20);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      await Promise.race([ended, pause(3_000, undefined, { ref: false })]);
      child.kill("SIGKILL");
    },
  };
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => socket.write("PING\r\n"));
    socket.on("data", (data) => {
      resolve(data.toString().startsWith("+PONG"));
      socket.destroy();
    });
    socket.on("error", () => resolve(false));
  });
}
