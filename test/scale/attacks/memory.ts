import { readFileSync } from "node:fs";

/** Bytes of memory that `docker-compose.yml` gives a gateway. */
export function gatewayMemoryLimit(): number {
  const compose = readFileSync(new URL("../../../docker-compose.yml", import.meta.url), "utf8");
  const megabytes = /\$\{GATEWAY_MEMORY:-(\d+)m\}/.exec(compose)?.[1];
  if (megabytes === undefined) throw new Error("docker-compose.yml gives gateways no memory limit");
  return Number(megabytes) * 2 ** 20;
}

/**
 * Returns variables that give a process the heap that Node would choose in a container of this size: half of the memory
 * for long-lived objects.
 */
export function inContainer(bytes: number): Record<string, string> {
  return { NODE_OPTIONS: `--max-old-space-size=${Math.floor(bytes / 2 ** 21)}` };
}

/** Returns the peak resident memory of the process, in bytes. */
export function peakMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}
