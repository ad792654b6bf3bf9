import { StartupError } from "./startup-error.ts";

/** One server of Redis, or one Sentinel. */
export interface RedisEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Paths of PEM files for connections with TLS. Without `ca`, clients trust the authorities of Node.js. */
export interface RedisTls {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

interface Common {
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Undefined: connections are not encrypted. */
  readonly tls: RedisTls | undefined;
  /** 4 or 6 for one version of IP; 0 for both. */
  readonly family: 0 | 4 | 6;
}

/** What `REDIS_URL` names: a server, a master that Sentinels know, or a Cluster. */
export type RedisAddress =
  | (Common & RedisEndpoint & { readonly kind: "server"; readonly db: number })
  | (Common & {
      readonly kind: "sentinel";
      readonly sentinels: readonly RedisEndpoint[];
      /** The name under which the Sentinels know the master. */
      readonly master: string;
      readonly db: number;
      readonly sentinelUsername: string | undefined;
      readonly sentinelPassword: string | undefined;
    })
  | (Common & { readonly kind: "cluster"; readonly nodes: readonly RedisEndpoint[] });

const forms = {
  server: "redis://USER:PASSWORD@HOST:6379/0",
  sentinel: "redis+sentinel://USER:PASSWORD@HOST1:26379,HOST2:26379,HOST3:26379/MASTER/0",
  cluster: "redis+cluster://USER:PASSWORD@HOST1:6379,HOST2:6379,HOST3:6379",
} as const;

type Kind = keyof typeof forms;

const defaultPorts: Readonly<Record<Kind, number>> = {
  server: 6379,
  sentinel: 26_379,
  cluster: 6379,
};

/** Scheme, then userinfo up to the last `@`, hosts, path and query, each without the characters that end it. */
const parts =
  /^(redis|rediss)(\+sentinel|\+cluster)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/([^@?#]*))?(?:\?([^#]*))?$/i;

const endpoint = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i;

/**
 * Parses `REDIS_URL`.
 * @throws StartupError that names the correct form, and quotes no part of the value, which may hold passwords
 */
export function parseRedisUrl(text: string): RedisAddress {
  if (!/^rediss?(\+sentinel|\+cluster)?:\/\//i.test(text)) {
    throw refusal(
      `must be a URL beginning with redis:// (one server), redis+sentinel:// or redis+cluster://, or with rediss in place of redis for TLS`,
    );
  }
  const [, scheme = "", suffix = "", userinfo, hosts = "", path = "", query = ""] =
    parts.exec(text) ?? [];
  const kind: Kind =
    suffix === "" ? "server" : suffix.toLowerCase() === "+sentinel" ? "sentinel" : "cluster";
  // A raw @ in the password of one server is clear. Before several hosts, each may have been given a password.
  if (scheme === "" || (kind !== "server" && userinfo?.includes("@"))) {
    throw refusal(
      `must look like ${formOf(text)}, with the characters @ / ? # of a password percent-encoded`,
    );
  }
  const endpoints = hosts.split(",").map((host) => parseEndpoint(host, kind));
  const common = {
    ...parseUser(userinfo),
    ...parseQuery(query, kind, scheme.toLowerCase() === "rediss"),
  };
  const { sentinelUsername, sentinelPassword, ...shared } = common;
  switch (kind) {
    case "server": {
      const [one] = endpoints;
      if (endpoints.length !== 1 || !one) {
        throw refusal(
          "must name one host after redis://; several hosts need redis+sentinel:// or redis+cluster://",
        );
      }
      return { kind, ...one, ...shared, db: parseDatabase(path, forms.server) };
    }
    case "sentinel": {
      const [master = "", db = "", ...rest] = path.split("/");
      if (master === "" || rest.length > 0) {
        throw refusal(`must name the master that the Sentinels know, as in ${forms.sentinel}`);
      }
      return {
        kind,
        ...shared,
        sentinels: endpoints,
        master: decoded(master),
        db: parseDatabase(db, forms.sentinel),
        sentinelUsername,
        sentinelPassword,
      };
    }
    case "cluster":
      if (path !== "" && path !== "0") {
        throw refusal("must name no database after redis+cluster://: a Cluster has only one");
      }
      return { kind, ...shared, nodes: endpoints };
  }
}

function formOf(text: string): string {
  return /^\w+\+sentinel/i.test(text)
    ? forms.sentinel
    : /^\w+\+cluster/i.test(text)
      ? forms.cluster
      : forms.server;
}

function parseEndpoint(text: string, kind: Kind): RedisEndpoint {
  const [whole, ip, name, digits] = endpoint.exec(text) ?? [];
  const port = digits === undefined ? defaultPorts[kind] : Number(digits);
  if (whole === undefined || port < 1 || port > 65_535) {
    throw refusal(
      `must have hosts as HOST or HOST:PORT with a port from 1 to 65535, separated by commas without spaces, as in ${forms[kind]}, with the characters @ / ? # of a password percent-encoded`,
    );
  }
  return { host: ip ?? name ?? "", port };
}

function parseUser(userinfo: string | undefined) {
  if (userinfo === undefined) return { username: undefined, password: undefined };
  const colon = userinfo.indexOf(":");
  if (colon < 0) {
    throw refusal("must have a colon before the password, as in redis://:PASSWORD@HOST");
  }
  return {
    username: decoded(userinfo.slice(0, colon)) || undefined,
    password: decoded(userinfo.slice(colon + 1)) || undefined,
  };
}

function parseDatabase(text: string, form: string): number {
  if (/^\d{0,9}$/.test(text)) return Number(text);
  throw refusal(`must have the number of a database at its end, or nothing, as in ${form}`);
}

const tlsParameters = ["sslrootcert", "sslcert", "sslkey"] as const;
const sentinelParameters = ["sentinel_username", "sentinel_password"] as const;

/** Parameters of other libraries that would change what is connected to: ignoring them would use another database, or no TLS. */
const misplaced: readonly string[] = ["db", "username", "password", "tls"];

function parseQuery(query: string, kind: Kind, encrypted: boolean) {
  const given = new URLSearchParams(query);
  const known: readonly string[] = [
    "family",
    ...tlsParameters,
    ...(kind === "sentinel" ? sentinelParameters : []),
  ];
  for (const name of given.keys()) {
    if (kind === "server" && misplaced.includes(name)) {
      throw refusal(
        `must have user, password and database before the question mark, as in ${forms.server}, and rediss for TLS`,
      );
    }
    // Providers of single servers add parameters for other libraries.
    if (kind !== "server" && !known.includes(name)) {
      throw refusal(`may have only these parameters after the question mark: ${known.join(", ")}`);
    }
  }
  const [ca, cert, key] = tlsParameters.map((name) => given.get(name) || undefined);
  if (!encrypted && (ca ?? cert ?? key) !== undefined) {
    throw refusal("must begin with rediss for TLS: it names certificates");
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw refusal("must have sslcert and sslkey together: the client's certificate and its key");
  }
  const family = given.get("family") ?? "0";
  if (family !== "0" && family !== "4" && family !== "6") {
    throw refusal("must have family=0, family=4 or family=6");
  }
  return {
    tls: encrypted ? { ca, cert, key } : undefined,
    family: Number(family) as 0 | 4 | 6,
    sentinelUsername: given.get("sentinel_username") || undefined,
    sentinelPassword: given.get("sentinel_password") || undefined,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal("must have a % of a password written as %25");
  }
}

function refusal(rule: string): StartupError {
  return new StartupError(`REDIS_URL ${rule}`);
}
