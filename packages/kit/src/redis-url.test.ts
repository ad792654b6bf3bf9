import { expect } from "chai";

import { parseRedisUrl, type RedisAddress } from "./redis-url.ts";
import { StartupError } from "./startup-error.ts";

const plain = { username: undefined, password: undefined, tls: undefined, family: 0 } as const;
const noFiles = { ca: undefined, cert: undefined, key: undefined };
const noSentinelUser = { sentinelUsername: undefined, sentinelPassword: undefined };

const right: ReadonlyArray<readonly [string, RedisAddress]> = [
  ["redis://cache", { kind: "server", ...plain, host: "cache", port: 6379, db: 0 }],
  ["redis://cache:6380/3", { kind: "server", ...plain, host: "cache", port: 6380, db: 3 }],
  ["REDIS://cache/", { kind: "server", ...plain, host: "cache", port: 6379, db: 0 }],
  ["redis://[::1]:6380", { kind: "server", ...plain, host: "::1", port: 6380, db: 0 }],
  [
    "redis://cache?family=6",
    { kind: "server", ...plain, family: 6, host: "cache", port: 6379, db: 0 },
  ],
  [
    "redis://:p%40ss%2Fword@cache",
    { kind: "server", ...plain, password: "p@ss/word", host: "cache", port: 6379, db: 0 },
  ],
  [
    "redis://:p@ss@cache",
    { kind: "server", ...plain, password: "p@ss", host: "cache", port: 6379, db: 0 },
  ],
  [
    "redis://cache/3?connectTimeout=500&ssl_cert_reqs=none",
    { kind: "server", ...plain, host: "cache", port: 6379, db: 3 },
  ],
  [
    "rediss://cache?ssl_cert_reqs=none",
    { kind: "server", ...plain, tls: noFiles, host: "cache", port: 6379, db: 0 },
  ],
  [
    "redis://carillon:a:b@cache",
    {
      kind: "server",
      ...plain,
      username: "carillon",
      password: "a:b",
      host: "cache",
      port: 6379,
      db: 0,
    },
  ],
  [
    "rediss://cache?sslrootcert=/etc/ca.pem&sslcert=/etc/c.pem&sslkey=/etc/c.key",
    {
      kind: "server",
      ...plain,
      tls: { ca: "/etc/ca.pem", cert: "/etc/c.pem", key: "/etc/c.key" },
      host: "cache",
      port: 6379,
      db: 0,
    },
  ],
  [
    "redis+sentinel://s1,s2:26380,[fe80::2]:26381/mymaster",
    {
      kind: "sentinel",
      ...plain,
      ...noSentinelUser,
      sentinels: [
        { host: "s1", port: 26_379 },
        { host: "s2", port: 26_380 },
        { host: "fe80::2", port: 26_381 },
      ],
      master: "mymaster",
      db: 0,
    },
  ],
  [
    "rediss+sentinel://u:p@s1/my%20master/2?sentinel_username=su&sentinel_password=s%26p",
    {
      kind: "sentinel",
      username: "u",
      password: "p",
      tls: noFiles,
      family: 0,
      sentinels: [{ host: "s1", port: 26_379 }],
      master: "my master",
      db: 2,
      sentinelUsername: "su",
      sentinelPassword: "s&p",
    },
  ],
  [
    "redis+cluster://:p@n1:7001,n2:7002,n3",
    {
      kind: "cluster",
      ...plain,
      password: "p",
      nodes: [
        { host: "n1", port: 7001 },
        { host: "n2", port: 7002 },
        { host: "n3", port: 6379 },
      ],
    },
  ],
  [
    "rediss+cluster://n1/0",
    { kind: "cluster", ...plain, tls: noFiles, nodes: [{ host: "n1", port: 6379 }] },
  ],
];

/** The word that stands for a password in each of the wrong forms. */
const secret = "hunter2";

const wrong: ReadonlyArray<readonly [string, RegExp]> = [
  [`http://:${secret}@cache`, /must be a URL beginning with redis:\/\//],
  [`:${secret}@cache:6379`, /must be a URL beginning with redis:\/\//],
  [`redis-sentinel://:${secret}@s1/mymaster`, /redis\+sentinel:\/\//],
  [`redis+sentinels://:${secret}@s1/mymaster`, /redis\+sentinel:\/\//],
  [`redis://${secret}@cache`, /must have a colon before the password/],
  [
    `redis+sentinel://:${secret}@s1,:${secret}@s2/m`,
    /must look like redis\+sentinel:\/\/.*percent-/,
  ],
  [`redis+cluster://:${secret}@x@n1`, /must look like redis\+cluster:\/\/.*percent-encoded/],
  [`redis+sentinel://:${secret}#x@s1/m`, /must look like redis\+sentinel:\/\/.*percent-encoded/],
  [`redis+cluster://:${secret}?x@n1`, /only these parameters|percent-encoded/],
  [`redis://:${secret}/x@cache`, /must have hosts as HOST or HOST:PORT|must look like/],
  [`redis://:${secret}%zz@cache`, /must have a % of a password written as %25/],
  [`redis://:${secret}@`, /must have hosts as HOST or HOST:PORT/],
  [`redis://:${secret}@cache:0`, /a port from 1 to 65535/],
  [`redis://:${secret}@cache:65536`, /a port from 1 to 65535/],
  [`redis://:${secret}@cache:port`, /a port from 1 to 65535/],
  [`redis://:${secret}@cache/one`, /must have the number of a database at its end/],
  [`redis://:${secret}@c1,c2`, /several hosts need redis\+sentinel:\/\/ or redis\+cluster:\/\//],
  [`redis+sentinel://:${secret}@s1,s2`, /must name the master that the Sentinels know/],
  [`redis+sentinel://:${secret}@s1, s2/m`, /separated by commas without spaces/],
  [`redis+sentinel://:${secret}@s1/m/0/1`, /must name the master that the Sentinels know/],
  [`redis+sentinel://:${secret}@s1/m/x`, /must have the number of a database at its end/],
  [`redis+cluster://:${secret}@n1/1`, /must name no database/],
  [`redis+cluster://:${secret}@n1?sentinel_password=${secret}`, /only these parameters/],
  [`redis+sentinel://:${secret}@s1/m?connectTimeout=500`, /only these parameters/],
  [`redis://cache?password=${secret}`, /before the question mark, as in redis:\/\/USER:PASSWORD/],
  [`redis://:${secret}@cache?db=2`, /database before the question mark/],
  [`redis://:${secret}@cache?tls=true`, /rediss for TLS/],
  [`redis://:${secret}@cache?sslrootcert=/ca.pem`, /must begin with rediss for TLS/],
  [`rediss://:${secret}@cache?sslcert=/c.pem`, /must have sslcert and sslkey together/],
  [`redis://:${secret}@cache?family=5`, /must have family=0, family=4 or family=6/],
];

describe("parseRedisUrl", () => {
  for (const [text, address] of right)
    it(`parses ${text}`, () => {
      expect(parseRedisUrl(text)).to.deep.equal(address);
    });

  for (const [text, rule] of wrong)
    it(`refuses ${text} without quoting it`, () => {
      expect(() => parseRedisUrl(text))
        .to.throw(StartupError, rule)
        .with.property("message")
        .that.matches(/^REDIS_URL /)
        .and.does.not.include(secret);
    });
});
