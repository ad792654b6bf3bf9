import { connect } from "node:net";
import { redisUrl } from "./servers.ts";

/**
 * Numbered databases of the tests' Redis, one for each suite: unlike a prefix, a number also isolates the processes
 * that a suite spawns. Database 0 counts them for all test processes. Numbers are reused after the last one, so there
 * must be more of them than a run uses during its longest suite.
 */
const counter = "carillon-test-databases";

/** Takes an empty database of the tests' Redis. */
export async function freshRedis(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = redisUrl();
  if (!server)
    throw new Error("there is no Redis for the tests: CARILLON_TEST_REDIS_URL is not set");
  const url = new URL(server);
  url.pathname = "/0";
  const taken = await redisCommand(url.href, `INCR ${counter}`);
  const last = (await databases(url.href)) - 1;
  url.pathname = `/${(Number(taken.slice(1)) % last) + 1}`;
  const flush = () => redisCommand(url.href, "FLUSHDB");
  await flush();
  return { url: url.href, drop: async () => void (await flush()) };
}

async function databases(url: string): Promise<number> {
  return Number(/(\d+)\s*$/.exec(await redisCommand(url, "CONFIG GET databases"))?.[1]);
}

/**
 * Sends one command and returns Redis's raw reply: `+OK`, `:3`, `$5…`.
 * @throws Error with Redis's error message
 */
export function redisCommand(url: string, command: string): Promise<string> {
  const { hostname, port, pathname, password } = new URL(url);
  const commands = [
    ...(password ? [`AUTH ${decodeURIComponent(password)}`] : []),
    `SELECT ${pathname.slice(1) || 0}`,
    command,
    "QUIT",
  ];
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port) || 6379, hostname);
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (text += chunk));
    socket.on("error", reject);
    socket.on("end", () => {
      const refused = /^-(.*)$/m.exec(text);
      if (refused) reject(new Error(`Redis refuses ${command}: ${refused[1]?.trim()}`));
      else resolve(text.replace(/^(\+OK\r\n)+/, "").replace(/\+OK\r\n$/, "") || "+OK");
    });
    socket.end(`${commands.join("\r\n")}\r\n`);
  });
}
