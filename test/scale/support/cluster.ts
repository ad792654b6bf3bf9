import { spawnSync } from "node:child_process";
import { waitFor } from "@carillon/testkit";
import { tlsLines, tlsOptions, tlsParameters, type Secured } from "./certificates.ts";
import { redisProgram, RedisServers, type RedisServer } from "./redis-servers.ts";

/** Three masters with a replica each, and the slot of Carillon's keys. */
export interface ClusterSetup {
  /** `REDIS_URL` */
  readonly url: string;
  /** Returns the master that has the slot of Carillon's keys. */
  owner(): Promise<RedisServer>;
  /** Moves that slot to another master, key by key, while clients use it. */
  moveSlot(): Promise<void>;
  /** Waits until a different node has the slot, and the Cluster works. */
  failedOver(from: RedisServer): Promise<void>;
  close(): Promise<void>;
}

const nodeTimeoutMs = 2_000;
const keysAtOnce = 10;

interface Node {
  readonly id: string;
  readonly server: RedisServer;
}

/** @param secured default: neither TLS nor a password */
export async function startCluster(
  secured?: Omit<Secured, "sentinelPassword">,
): Promise<ClusterSetup> {
  const servers = new RedisServers();
  const nodes: RedisServer[] = [];
  const lines = [
    "cluster-enabled yes",
    `cluster-node-timeout ${nodeTimeoutMs}`,
    "appendonly yes",
    'save ""',
    "repl-diskless-sync-delay 0",
  ];
  if (secured) {
    lines.push(...tlsLines(secured.files), "tls-cluster yes");
    lines.push(`requirepass ${secured.password}`, `masterauth ${secured.password}`);
  }
  const access = secured
    ? { tls: tlsOptions(secured.files), password: secured.password }
    : undefined;
  for (let n = 0; n < 6; n++) nodes.push(await servers.add(lines, [], access));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const slot = Number(await nodes[0]?.command("CLUSTER", "KEYSLOT", "{carillon}"));

  /** Asks the living nodes, whose answers may differ for a moment. */
  async function views(): Promise<string[]> {
    const answers = await Promise.allSettled(nodes.map((node) => node.command("CLUSTER", "NODES")));
    return answers.flatMap((one) => (one.status === "fulfilled" ? [String(one.value)] : []));
  }

  async function masters(): Promise<Node[]> {
    const [view = ""] = await views();
    return view.split("\n").flatMap((line) => {
      const [id = "", address = "", flags = ""] = line.split(" ");
      const server = nodes.find(({ port }) => address.startsWith(`127.0.0.1:${port}@`));
      return server && /master/.test(flags) && !/fail/.test(flags) ? [{ id, server }] : [];
    });
  }

  async function ownerPort(node: RedisServer): Promise<number> {
    const ranges = (await node.command("CLUSTER", "SLOTS")) as [number, number, [string, number]][];
    return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1] ?? 0;
  }

  /** Returns the owner on which all living nodes agree. */
  async function agreedOwner(): Promise<RedisServer | undefined> {
    const answers = await Promise.allSettled(
      nodes.map(async (node) => {
        const state = String(await node.command("CLUSTER", "INFO"));
        return /cluster_state:ok/.test(state) ? ownerPort(node) : 0;
      }),
    );
    const ports = new Set(
      answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    );
    return ports.size === 1 ? nodes.find(({ port }) => ports.has(port)) : undefined;
  }

  const setup: ClusterSetup = {
    url: secured
      ? `rediss+cluster://:${secured.password}@${addresses.join(",")}?${new URLSearchParams(tlsParameters(secured.files))}`
      : `redis+cluster://${addresses.join(",")}`,
    owner: () => waitFor(agreedOwner, { what: "the nodes agree on the slot's owner" }),
    async moveSlot() {
      const from = await setup.owner();
      const all = await masters();
      const source = all.find(({ server }) => server === from);
      const target = all.find(({ server }) => server !== from);
      if (!source || !target) throw new Error("there are no two masters");
      await target.server.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id);
      await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id);
      for (;;) {
        const keys = (await from.command("CLUSTER", "GETKEYSINSLOT", slot, keysAtOnce)) as string[];
        if (keys.length === 0) break;
        await from.command(
          "MIGRATE",
          "127.0.0.1",
          target.server.port,
          "",
          0,
          5_000,
          "KEYS",
          ...keys,
        );
      }
      for (const { server } of [target, source, ...all])
        await server.command("CLUSTER", "SETSLOT", slot, "NODE", target.id);
      await setup.failedOver(from);
    },
    async failedOver(from) {
      await waitFor(
        async () => {
          const now = await agreedOwner();
          return now !== undefined && now !== from;
        },
        { what: "another node has the slot", everyMs: 20 },
      );
    },
    close: () => servers.close(),
  };
  try {
    const cli = (redisProgram ?? "").replace("-server", "-cli");
    const made = spawnSync(
      cli,
      [
        ...(secured ? cliAccess(secured) : []),
        "--cluster",
        "create",
        ...nodes.map(({ port, busPort }) => `127.0.0.1:${port}@${busPort}`),
        "--cluster-replicas",
        "1",
        "--cluster-yes",
      ],
      { encoding: "utf8" },
    );
    if (made.status !== 0) throw new Error(`${cli} made no Cluster: ${made.stdout}${made.stderr}`);
    await setup.owner();
    // The Cluster does not elect a replica that lacks its master's data.
    const copied = async () => {
      const infos = await Promise.all(nodes.map((node) => node.command("INFO", "replication")));
      return infos.filter((text) => /master_link_status:up/.test(String(text))).length === 3;
    };
    await waitFor(copied, { what: "each master has a replica" });
  } catch (error) {
    await servers.close();
    throw error;
  }
  return setup;
}

function cliAccess({ files, password }: Omit<Secured, "sentinelPassword">): string[] {
  const { authority, client } = files;
  const certificates = ["--cacert", authority, "--cert", client.cert, "--key", client.key];
  return ["--tls", ...certificates, "-a", password];
}
