import { readFileSync, readdirSync } from "node:fs";
import { Redis } from "ioredis";
import type { BenchDatabase } from "./servers.ts";
import { processorMsOf } from "./settle.ts";

/** CPU time that the servers of a bench have used so far, in milliseconds. */
export interface ServerTimes {
  /** Processor time of all PostgreSQL processes, including ended ones. */
  postgres(): number;
  /** Of Redis; 0 when the queues are on PostgreSQL. */
  redis(): number;
}

export async function serverTimes({ db, redisUrl }: BenchDatabase): Promise<ServerTimes> {
  const [own] = await db.rows<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const postmaster = parentOf(own?.pid ?? 0);
  const redis = redisUrl ? await redisPid(redisUrl) : undefined;
  return {
    postgres: () =>
      processorMsOf(postmaster) +
      endedMs(postmaster) +
      children(postmaster).reduce((sum, pid) => sum + runningMs(pid), 0),
    redis: () => (redis === undefined ? 0 : processorMsOf(redis)),
  };
}

/** Returns the fields of `/proc/PID/stat` after the program's name. The name may contain spaces. */
function fieldsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
}

function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1]);
}

/** Returns the CPU time of a process's ended children, after the process has waited for them. */
function endedMs(pid: number): number {
  const fields = fieldsOf(pid);
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function children(of: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return parentOf(pid) === of;
      } catch {
        // The process has ended meanwhile.
        return false;
      }
    });
}

/** Returns the CPU time of a process; 0 if it has ended. */
function runningMs(pid: number): number {
  try {
    return processorMsOf(pid);
  } catch {
    return 0;
  }
}

async function redisPid(url: string): Promise<number> {
  const connection = new Redis(url);
  const info = await connection.info("server");
  connection.disconnect();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}
