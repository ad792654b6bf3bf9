import { waitFor } from "@carillon/testkit";
import { tlsLines, tlsOptions, tlsParameters, type Secured } from "./certificates.ts";
import { RedisServers, type RedisServer } from "./redis-servers.ts";

/** Three Sentinels and two data nodes. */
export interface SentinelSetup {
  /** `REDIS_URL` */
  readonly url: string;
  readonly sentinels: readonly RedisServer[];
  /** Returns the data node that the Sentinels name as the master. */
  master(): Promise<RedisServer>;
  /** Waits until the Sentinels name a different node as the master. */
  failedOver(from: RedisServer): Promise<void>;
  /** Waits until this node is a replica that has the master's data. */
  replicates(node: RedisServer): Promise<void>;
  close(): Promise<void>;
}

const name = "carillon";
/** Milliseconds of silence after which a Sentinel counts the master as down. */
const downAfterMs = 1_000;

/** @param secured default: neither TLS nor passwords */
export async function startSentinels(secured?: Secured): Promise<SentinelSetup> {
  const servers = new RedisServers();
  const encrypted = secured ? tlsLines(secured.files) : [];
  const access = (password: string | undefined) =>
    secured && password !== undefined ? { tls: tlsOptions(secured.files), password } : {};
  const data = ["appendonly yes", 'save ""', "repl-diskless-sync-delay 0", ...encrypted];
  if (secured) data.push(`requirepass ${secured.password}`, `masterauth ${secured.password}`);
  const addData = (lines: readonly string[]) => servers.add(lines, [], access(secured?.password));
  const first = await addData(data);
  const second = await addData([...data, `replicaof 127.0.0.1 ${first.port}`]);
  const nodes = [first, second];
  const sentinels: RedisServer[] = [];
  for (let n = 0; n < 3; n++) {
    const lines = [
      `sentinel monitor ${name} 127.0.0.1 ${first.port} 2`,
      `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
      `sentinel failover-timeout ${name} 4000`,
      ...encrypted,
    ];
    if (secured) {
      lines.push(
        `sentinel auth-pass ${name} ${secured.password}`,
        `requirepass ${secured.sentinelPassword}`,
        `sentinel sentinel-pass ${secured.sentinelPassword}`,
      );
    }
    sentinels.push(await servers.add(lines, ["--sentinel"], access(secured?.sentinelPassword)));
  }
  const masterPort = async () => {
    const answers = await Promise.allSettled(
      sentinels.map((one) => one.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)),
    );
    const ports = answers.flatMap((answer) =>
      answer.status === "fulfilled" ? [Number((answer.value as string[])[1])] : [],
    );
    // The quorum: Sentinels that must agree.
    return new Set(ports).size === 1 ? ports[0] : undefined;
  };
  const setup: SentinelSetup = {
    url: urlOf(sentinels, secured),
    sentinels,
    master: () =>
      waitFor(
        async () => {
          const port = await masterPort();
          return nodes.find((node) => node.port === port);
        },
        { what: "the Sentinels agree on the master" },
      ),
    failedOver: async (from) => {
      await waitFor(
        async () => {
          const port = await masterPort();
          return port !== undefined && port !== from.port;
        },
        { what: "the Sentinels have elected another master", everyMs: 20 },
      );
    },
    replicates: async (node) => {
      await waitFor(async () => /role:slave[^]*master_link_status:up/.test(await info(node)), {
        what: "the node is a replica",
      });
    },
    close: () => servers.close(),
  };
  try {
    await setup.replicates(second);
    const know = async () => {
      const known = await Promise.all(
        sentinels.map((one) => one.command("SENTINEL", "CKQUORUM", name)),
      );
      const replicas = await Promise.all(
        sentinels.map(
          async (one) => ((await one.command("SENTINEL", "REPLICAS", name)) as unknown[]).length,
        ),
      );
      return known.every((line) => /3 usable/.test(String(line))) && replicas.every((n) => n === 1);
    };
    await waitFor(know, { what: "the Sentinels know each other" });
  } catch (error) {
    await servers.close();
    throw error;
  }
  return setup;
}

async function info(node: RedisServer): Promise<string> {
  return node.command("INFO", "replication").then(String, () => "");
}

function urlOf(sentinels: readonly RedisServer[], secured: Secured | undefined): string {
  const where = `${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",")}/${name}`;
  if (!secured) return `redis+sentinel://${where}`;
  const { password, sentinelPassword, files } = secured;
  const parameters = { ...tlsParameters(files), sentinel_password: sentinelPassword };
  return `rediss+sentinel://:${password}@${where}?${new URLSearchParams(parameters)}`;
}
