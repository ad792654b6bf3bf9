import { readFileSync } from "node:fs";
import { parseRedisUrl, StartupError, type RedisAddress, type RedisTls } from "@carillon/kit";
import {
  Cluster,
  Redis,
  SentinelConnector,
  type ClusterOptions,
  type RedisOptions,
  type SentinelConnectionOptions,
} from "ioredis";

/** A client of one server, of the master that Sentinels name, or of a Cluster. */
export type RedisClient = Redis | Cluster;

/** How a client of any kind waits and retries. The names are those of ioredis. */
export interface RedisClientOptions extends Pick<
  RedisOptions,
  | "autoResubscribe"
  | "commandTimeout"
  | "connectTimeout"
  | "enableOfflineQueue"
  | "keepAlive"
  | "lazyConnect"
  | "maxRetriesPerRequest"
  | "socketTimeout"
> {
  /** Returns the milliseconds until the next attempt to connect; null makes one attempt only. */
  readonly retryStrategy: ((attempt: number) => number) | null;
  /** Whether duplicates have no socket timeout: BullMQ makes them for blocking commands, and watches these itself. */
  readonly blockingDuplicates?: boolean;
}

/** Milliseconds between two readings of a Cluster's slots. They also show that a replica has replaced a frozen node. */
const slotsEveryMs = 2_000;

/** Maximum retries of a command while a Cluster fails over, 100 ms apart. */
const redirections = 16;

/**
 * Makes a client for `REDIS_URL` that follows failovers. It asks the Sentinels for the master at each connection, and
 * they announce a new master; a Cluster's nodes tell it where slots are.
 * @throws StartupError naming REDIS_URL
 */
export function openRedis(url: string, options: RedisClientOptions): RedisClient {
  const address = parseRedisUrl(url);
  const { blockingDuplicates = false, retryStrategy, ...waiting } = options;
  const { username, password, family } = address;
  const tls = address.tls && tlsOptions(address.tls);
  const access: RedisOptions = {
    family,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
  };
  if (address.kind === "cluster") {
    const { enableOfflineQueue, lazyConnect, ...ofNodes } = waiting;
    const clusterOptions: ClusterOptions = {
      ...(enableOfflineQueue !== undefined && { enableOfflineQueue }),
      ...(lazyConnect !== undefined && { lazyConnect }),
      clusterRetryStrategy: retryStrategy,
      slotsRefreshInterval: slotsEveryMs,
      // A command that is retried without limit also waits for a failover.
      maxRedirections: waiting.maxRetriesPerRequest === null ? Infinity : redirections,
      // A certificate names the host, not its address.
      ...(tls && { dnsLookup: (host, found) => found(null, host) }),
      redisOptions: { ...ofNodes, ...access },
    };
    const nodes = address.nodes.map(({ host, port }) => ({ host, port }));
    return new (blockingDuplicates ? ClusterOfWorkers : Cluster)(nodes, clusterOptions);
  }
  return new (blockingDuplicates ? RedisOfWorkers : Redis)({
    ...waiting,
    ...access,
    retryStrategy,
    ...whereabouts(address, retryStrategy),
  });
}

function isCluster(client: RedisClient): client is Cluster {
  return client instanceof Cluster;
}

/**
 * Returns the prefix for the keys of an installation. On a Cluster it is a hash tag: Redis hashes only what is in the
 * braces, so that all keys are in one slot.
 */
export function keyPrefix(client: RedisClient, prefix = "carillon"): string {
  return isCluster(client) ? `{${prefix}}` : prefix;
}

/** Returns a client for each server that holds keys. */
export function servers(client: RedisClient): Redis[] {
  return isCluster(client) ? client.nodes("master") : [client];
}

function whereabouts(
  address: Exclude<RedisAddress, { kind: "cluster" }>,
  retryStrategy: RedisClientOptions["retryStrategy"],
): RedisOptions {
  const { db } = address;
  if (address.kind === "server") return { host: address.host, port: address.port, db };
  const { master, sentinels, sentinelUsername, sentinelPassword, tls } = address;
  return {
    name: master,
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    db,
    sentinelRetryStrategy: retryStrategy ?? (() => null),
    sentinelCommandTimeout: 2_000,
    // Disconnects clients from a former master that is frozen, and so does not close their connections itself.
    failoverDetector: true,
    // A frozen master does not close its side of the connection; by default ioredis waits 2 s for that.
    disconnectTimeout: 500,
    Connector: Sentinels,
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tlsOptions(tls) }),
  };
}

function tlsOptions({ ca, cert, key }: RedisTls) {
  return {
    ...(ca !== undefined && { ca: contents(ca, "sslrootcert") }),
    ...(cert !== undefined && { cert: contents(cert, "sslcert") }),
    ...(key !== undefined && { key: contents(key, "sslkey") }),
  };
}

function contents(path: string, parameter: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `REDIS_URL: ${parameter} must name a readable file in PEM format: ${path}: ${code}`,
      { cause: error },
    );
  }
}

/**
 * BullMQ duplicates the workers' client for its blocking commands and watches those connections itself. A socket
 * timeout there would only keep a closing process alive.
 */
class RedisOfWorkers extends Redis {
  override duplicate(override?: Partial<RedisOptions>): Redis {
    return super.duplicate({ ...override, socketTimeout: undefined });
  }
}

class ClusterOfWorkers extends Cluster {
  override duplicate(
    nodes?: Parameters<Cluster["duplicate"]>[0],
    override: ClusterOptions = {},
  ): Cluster {
    const redisOptions = { ...this.options.redisOptions, ...override.redisOptions };
    return super.duplicate(nodes, {
      ...override,
      redisOptions: { ...redisOptions, socketTimeout: undefined },
    });
  }
}

/** Parts of ioredis's connector that its types do not declare. */
interface SentinelInternals {
  connectToSentinel: (this: unknown, ...given: unknown[]) => Redis;
  failoverDetector: { cleanup(): void } | null;
}

/**
 * Finds the master as ioredis does, with three differences. The client stays connected when the Sentinels announce another
 * master that they watch. An announcement of a new master that arrives while the client reconnects does not end the client
 * for good. Errors of connections to a Sentinel are not printed, because ioredis reconnects by itself.
 */
class Sentinels extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    const { name } = options as SentinelConnectionOptions;
    const internals = this as unknown as SentinelInternals;
    const { connectToSentinel } = internals;
    internals.connectToSentinel = (...given) => {
      const sentinel = connectToSentinel.apply(this, given).on("error", () => undefined);
      const emit = sentinel.emit.bind(sentinel);
      // The only messages are announcements, `MASTER OLD-IP OLD-PORT NEW-IP NEW-PORT`; ioredis does not read them.
      sentinel.emit = (event, ...values: unknown[]) =>
        event === "message" && !String(values[1]).startsWith(`${name} `)
          ? false
          : emit(event, ...values);
      return sentinel;
    };
  }

  override connect(...given: Parameters<SentinelConnector["connect"]>) {
    (this as unknown as SentinelInternals).failoverDetector?.cleanup();
    return super.connect(...given);
  }
}
