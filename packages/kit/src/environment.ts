import * as z from "zod";
import { changeDatabaseUrl, databaseUrlProblem } from "./database-url.ts";
import { parseRateRules } from "./rate-rules.ts";
import { parseRedisUrl } from "./redis-url.ts";
import { withSecretFiles } from "./secret-files.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Every variable that Carillon reads, with its default, in one place: nothing else reads `process.env`.
 * A wrong value stops the process before it listens, with one line that names the variable.
 */

const url = (...schemes: string[]) =>
  z.string().refine(
    (text) => {
      try {
        return schemes.includes(new URL(text).protocol.slice(0, -1));
      } catch {
        return false;
      }
    },
    `must be a URL beginning with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
  );

const databaseUrl = z.string().superRefine((text, context) => {
  const problem = databaseUrlProblem(text);
  if (problem) context.addIssue({ code: "custom", message: problem });
});

const portRule = { error: "must be a port number from 0 to 65535" };
const port = z.coerce.number(portRule).int(portRule).min(0, portRule).max(65_535, portRule);

/** A URL to which paths are appended. */
const publicAddress = url("http", "https").refine(
  (text) => !/[?#@]/.test(text),
  "must be an address that paths can be appended to: without credentials, `?` and `#`",
);

/** Hosts to which HTTP without TLS is safe: this machine. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether a host name or an address is of the loopback interface. */
export function isLoopback(host: string): boolean {
  return loopbackHost.test(host);
}

/** Whether the URL is HTTPS, or HTTP on this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && loopbackHost.test(hostname));
}

function isIssuer(text: string): boolean {
  try {
    return isConfidential(new URL(text)) && !/[?#@]|\/\.well-known\//.test(text);
  } catch {
    return false;
  }
}

const storageRule = { error: "must be a number of characters from 1 to 100000000" };

const mebibytesRule = { error: "must be a whole number of MiB, at least 1" };

const timeoutRule = { error: "must be a number of seconds from 1 to 20" };

const eventsRule = { error: "must be a whole number from 100000 to 100000000" };

function days(min: number, max: number) {
  const rule = { error: `must be a whole number of days from ${min} to ${max}` };
  return z.coerce.number(rule).int(rule).min(min, rule).max(max, rule);
}

const callTimeoutRule = { error: "must be a number of seconds from 1 to 60" };

const variables = {
  PORT: port.default(9991),
  HOST: z.string().min(1).default("127.0.0.1"),
  PUBLIC_URL: publicAddress.transform((text) => text.replace(/\/+$/, "")).optional(),
  DASHBOARD_PORT: port.default(9992),
  DASHBOARD_USER: z.string().min(1).optional(),
  DASHBOARD_PASSWORD: z.string().min(1).optional(),
  DASHBOARD_VIEWER_USER: z.string().min(1).optional(),
  DASHBOARD_VIEWER_PASSWORD: z.string().min(1).optional(),
  METRICS_PORT: port.optional(),
  DATA_DIR: z.string().min(1).default("./var"),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_PASSWORD: z.string().min(1).optional(),
  // Checked by `parseRedisUrl`.
  REDIS_URL: z.string().optional(),
  SECRET_KEY: z
    .string()
    .min(32, "must have at least 32 characters, for example the output of `openssl rand -hex 32`")
    .optional(),
  PUSH_BOUNCER: z.literal("embedded", "must be `embedded` or unset").optional(),
  PUSH_BOUNCER_URL: publicAddress.optional(),
  PUSH_SERVER_ID: z.guid("must be the UUID by which the push bouncer knows this server").optional(),
  PUSH_SERVER_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be the key that the push bouncer gave: ASCII without spaces")
    .optional(),
  PUSH_TIMEOUT: z.coerce.number(timeoutRule).min(1, timeoutRule).max(20, timeoutRule).default(15),
  OUTGOING_ALLOWED_NETWORKS: z.string().min(1).optional(),
  OUTGOING_TIMEOUT: z.coerce
    .number(callTimeoutRule)
    .min(1, callTimeoutRule)
    .max(60, callTimeoutRule)
    .default(10),
  AWAY_AFTER_DAYS: days(0, 3_650).default(14),
  EVENT_SUBSCRIPTION_DISABLE_DAYS: days(1, 90).default(3),
  EVENT_RETENTION_DAYS: days(1, 90).default(7),
  EVENT_RETENTION_EVENTS: z.coerce
    .number(eventsRule)
    .int(eventsRule)
    .min(100_000, eventsRule)
    .max(100_000_000, eventsRule)
    .default(2_000_000),
  BOUNCER_PORT: port.default(9995),
  BOUNCER_DATABASE_URL: databaseUrl.optional(),
  BOUNCER_FCM_CREDENTIALS: z.string().min(1).optional(),
  BOUNCER_APNS_KEY: z.string().min(1).optional(),
  BOUNCER_APNS_KEY_ID: z.string().min(1).optional(),
  BOUNCER_APNS_TEAM_ID: z.string().min(1).optional(),
  BOUNCER_APNS_SERVER: z
    .enum(["production", "sandbox"], "must be `production` or `sandbox`")
    .default("production"),
  BOUNCER_HANDOVER_LOG: z.string().min(1).optional(),
  RATE_LIMITS: z
    .string()
    .refine(
      isRateRules,
      "must be `off` or rules such as `user=60:200,3600:5000;ip=60:100;login=1800:5` (seconds:requests, each kind once)",
    )
    .optional(),
  BOT_STORAGE_LIMIT: z.coerce
    .number(storageRule)
    .int(storageRule)
    .min(1, storageRule)
    .max(100_000_000, storageRule)
    .default(10_000_000),
  MAX_FILE_UPLOAD_SIZE_MIB: z.coerce
    .number(mebibytesRule)
    .int(mebibytesRule)
    .min(1, mebibytesRule)
    .max(1_000_000, mebibytesRule)
    .default(100),
  UPLOAD_QUOTA_MIB: z.coerce
    .number(mebibytesRule)
    .int(mebibytesRule)
    .min(1, mebibytesRule)
    .max(1_000_000_000, mebibytesRule)
    .optional(),
  TRUSTED_PROXIES: z.string().min(1).optional(),
  FILES_DIR: z.string().min(1).optional(),
  S3_BUCKET: z.string().min(1).optional(),
  S3_ENDPOINT: publicAddress.optional(),
  S3_REGION: z.string().min(1).optional(),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  S3_FORCE_PATH_STYLE: z
    .enum(["true", "false"], "must be `true` or `false`")
    .transform((text) => text === "true")
    .optional(),
  OIDC_ISSUER: z
    .string()
    .refine(
      isIssuer,
      "must be the issuer of the identity provider, such as https://id.example.com/realms/team: without credentials, `?`, `#` and /.well-known/, and http:// only on this machine",
    )
    .optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_DISPLAY_NAME: z.string().max(60, "must not have more than 60 characters").optional(),
  OIDC_DISPLAY_ICON: url("http", "https").optional(),
  OIDC_SCOPES: z
    .string()
    .regex(
      /^(?=(?:.* )?openid(?: |$))[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/,
      "must be scopes separated by single spaces, with openid among them",
    )
    .optional(),
  OIDC_AUTO_SIGNUP: z.enum(["rules", "all"], "must be `rules` or `all`").optional(),
  OIDC_GROUPS_CLAIM: z.string().min(1).optional(),
  OIDC_ROLES: z.string().min(1).optional(),
  OIDC_GROUPS: z.string().min(1).optional(),
  OIDC_SUBDOMAIN: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, "must be the subdomain of an organization")
    .optional(),
  JWT_AUTH_KEY: z.string().min(1).optional(),
  JWT_AUTH_ALGORITHMS: z.string().min(1).optional(),
  SMTP_URL: url("smtp", "smtps").optional(),
  TERMS_URL: url("http", "https").optional(),
  MAIL_FROM: z.email("must be an e-mail address").optional(),
  DEVELOPMENT: z
    .enum(["true", "false"], "must be `true` or `false`")
    .default("false")
    .transform((text) => text === "true"),
  DEMO: z.enum(["on", "off"], "must be `on` or `off`").optional(),
  WEB_CLIENT: z.enum(["on", "off"], "must be `on` or `off`").default("on"),
  NODE_ENV: z.string().optional(),
  ORGANIZATION_NAME: z.string().max(40, "must not have more than 40 characters").optional(),
  OWNER_NAME: z.string().max(100, "must not have more than 100 characters").optional(),
  OWNER_EMAIL: z.email("must be an e-mail address").optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url("http", "https").optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url("http", "https").optional(),
  OTEL_SDK_DISABLED: z
    .enum(["true", "false"], "must be `true` or `false`")
    .default("false")
    .transform((text) => text === "true"),
  LOG_LEVEL: z
    .enum(
      ["trace", "debug", "info", "warn", "error", "silent"],
      "must be trace, debug, info, warn, error or silent",
    )
    .default("info"),
} as const;

const schema = z.object(variables);

/** Variables that may be given as `NAME_FILE`, because they hold secrets. */
export const secretNames = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_PASSWORD",
  "REDIS_URL",
  "SECRET_KEY",
  "DASHBOARD_PASSWORD",
  "DASHBOARD_VIEWER_PASSWORD",
  "PUSH_SERVER_KEY",
  "BOUNCER_DATABASE_URL",
  "OIDC_CLIENT_SECRET",
  "JWT_AUTH_KEY",
  "SMTP_URL",
  "S3_SECRET_ACCESS_KEY",
] as const satisfies readonly (keyof typeof variables)[];

function isRateRules(text: string): boolean {
  try {
    parseRateRules(text);
    return true;
  } catch {
    return false;
  }
}

export type Environment = Readonly<z.infer<typeof schema>>;

/**
 * Reads and validates the variables; an empty one counts as unset.
 * @throws StartupError that names the first wrong variable and says what would be right
 */
export function readEnvironment(
  source: Record<string, string | undefined> = process.env,
): Environment {
  const given: Record<string, string> = {};
  const all = withSecretFiles(source, secretNames);
  for (const name of Object.keys(variables)) {
    const value = all[name];
    if (value !== undefined && value !== "") given[name] = value;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) {
    if (parsed.data.REDIS_URL !== undefined) parseRedisUrl(parsed.data.REDIS_URL);
    return withPassword(checkedPooler(parsed.data));
  }
  const issue = parsed.error.issues[0];
  throw new StartupError(`${String(issue?.path[0])} ${issue?.message ?? "is wrong"}`);
}

/** Returns the environment. @throws StartupError if DATABASE_DIRECT_URL is set and DATABASE_URL is not */
function checkedPooler(env: Environment): Environment {
  if (env.DATABASE_DIRECT_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new StartupError(
      "DATABASE_DIRECT_URL is set, and DATABASE_URL is not: set DATABASE_URL to the address of the pooler; without a pooler, set only DATABASE_URL",
    );
  }
  return env;
}

/** Inserts `DATABASE_PASSWORD` into the URLs of the databases. */
function withPassword(env: Environment): Environment {
  const password = env.DATABASE_PASSWORD;
  if (password === undefined) return env;
  const complete = (name: "DATABASE_URL" | "DATABASE_DIRECT_URL" | "BOUNCER_DATABASE_URL") => {
    const address = env[name];
    if (address === undefined) return {};
    const completed = changeDatabaseUrl(address, (changed) => {
      if (changed.password) {
        throw new StartupError(
          `DATABASE_PASSWORD is set, and ${name} has a password too: give one of them`,
        );
      }
      changed.password = encodeURIComponent(password);
    });
    return { [name]: completed };
  };
  return {
    ...env,
    ...complete("DATABASE_URL"),
    ...complete("DATABASE_DIRECT_URL"),
    ...complete("BOUNCER_DATABASE_URL"),
  };
}

/** The addresses at which a process connects to the database. */
export interface DatabaseAddresses {
  /** For transactions and single statements; with `directUrl`, that of a pooler in transaction mode. */
  readonly databaseUrl: string;
  /** For connections that need a session: listeners, queues, migrations, commands. Undefined without a pooler. */
  readonly directUrl: string | undefined;
}

/**
 * Returns the addresses of the database.
 * @param why what the process needs it for, for the error
 * @throws StartupError if DATABASE_URL is not set
 */
export function databaseAddresses(env: Environment, why: string): DatabaseAddresses {
  const databaseUrl = required(env, "DATABASE_URL", why);
  return { databaseUrl, directUrl: env.DATABASE_DIRECT_URL };
}

/** Returns the address of PostgreSQL itself: `DATABASE_DIRECT_URL`, else `DATABASE_URL`. */
export function directDatabaseUrl(env: Environment): string | undefined {
  return env.DATABASE_DIRECT_URL ?? env.DATABASE_URL;
}

/** Returns the address that clients use: `PUBLIC_URL`, else `http://HOST:PORT`. */
export function publicUrl(env: Environment): string {
  if (env.PUBLIC_URL) return env.PUBLIC_URL;
  const host = env.HOST.includes(":") ? `[${env.HOST}]` : env.HOST;
  return `http://${host}:${env.PORT}`;
}

/**
 * Returns the value of a variable that this process requires.
 * @throws StartupError that names the variable
 */
export function required<Name extends keyof Environment>(
  env: Environment,
  name: Name,
  why: string,
): NonNullable<Environment[Name]> {
  const value = env[name];
  if (value === undefined || value === null) throw new StartupError(`${name} is not set: ${why}`);
  return value;
}
