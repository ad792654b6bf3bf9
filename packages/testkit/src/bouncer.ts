import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Services } from "@carillon/bouncer";
import { applyMigrations, connectStore, type Store } from "@carillon/db";
import { randomKey, sealerOf, systemClock } from "@carillon/kit";
import { seal, type TokenKind } from "@carillon/push";
import { captureLog, type LogLine } from "./log-capture.ts";
import { later } from "./later.ts";
import { longTimeouts } from "./long-timeouts.ts";
import { testProvider, type TestProvider } from "./push-provider.ts";
import { postgresUrl, withDatabase } from "./servers.ts";
import { testSecretKey } from "./site.ts";
import { administer, dropDatabase } from "./template.ts";

/** A chat server registered with a bouncer: `PUSH_SERVER_ID` and `PUSH_SERVER_KEY`. */
export interface BouncersServer {
  readonly id: string;
  readonly key: string;
}

/** A bouncer's own database, migrated. */
export interface BouncerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** The real bouncer in this process, with test providers. */
export interface TestBouncer {
  /** `http://127.0.0.1:PORT`, for `PUSH_BOUNCER_URL` */
  readonly url: string;
  readonly databaseUrl: string;
  readonly store: Store;
  /** Base64 */
  readonly publicKey: string;
  readonly providers: Readonly<Record<TokenKind, TestProvider>>;
  readonly logLines: LogLine[];
  logText(): string;
  addServer(options?: {
    rateLimit?: number | null;
    realms?: readonly string[] | null;
  }): Promise<BouncersServer>;
  /** Returns the rows of a table as text, without times and freshly encrypted columns, for comparison. */
  rows(table: string): Promise<string[]>;
  /** Starts another bouncer on the same database, with the same providers by default. */
  another(services?: Partial<Services>): Promise<{ readonly url: string }>;
  close(): Promise<void>;
}

/** Creates and migrates a database for a bouncer. */
export async function createBouncerDatabase(): Promise<BouncerDatabase> {
  const { bouncerMigrations } = await import("@carillon/push");
  const name = `carillon_bouncer_${randomBytes(8).toString("hex")}`;
  await administer((client) => client.query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`));
  const url = withDatabase(postgresUrl(), name);
  await applyMigrations(url, bouncerMigrations);
  return { url, drop: () => dropDatabase(name) };
}

/** Starts the bouncer. @param services overrides */
export async function startTestBouncer(services: Partial<Services> = {}): Promise<TestBouncer> {
  const { bouncerMigrations } = await import("@carillon/push");
  const { buildBouncer, ensureKeyPair, listPublicKeys, putServer } =
    await import("@carillon/bouncer");
  const database = await createBouncerDatabase();
  const store = await connectStore(
    database.url,
    { max: 10, name: "bouncer", ...longTimeouts },
    bouncerMigrations,
  );
  const sealer = sealerOf(testSecretKey, "bouncer");
  await ensureKeyPair(store, sealer);
  const [publicKey = ""] = await listPublicKeys(store);
  const captured = captureLog();
  const providers = { fcm: testProvider("fcm"), apns: testProvider("apns") };
  const whole = { store, sealer, providers, clock: systemClock, log: captured.log, ...services };
  const closing: Array<() => void> = [];
  const another = async (other: Partial<Services> = {}) => {
    const server = createServer(buildBouncer({ ...whole, ...other }).callback());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const { url } = await another();
  return {
    url,
    databaseUrl: database.url,
    store,
    publicKey,
    providers,
    logLines: captured.lines,
    logText: captured.text,
    async addServer({ rateLimit = null, realms = null } = {}) {
      const made = { id: randomUUID(), key: randomKey() };
      await putServer(store, { ...made, name: "test", rateLimit, realms });
      return made;
    },
    async rows(table) {
      const rows = await store.rows<{ row: string }>(
        `SELECT (to_jsonb(t) - 'registered_at' - 'sealed_token')::text AS row FROM ${table} t ORDER BY 1`,
      );
      return rows.map(({ row }) => row);
    },
    another,
    async close() {
      for (const close of closing) close();
      await store.close();
      await database.drop();
    },
  };
}

/** A bouncer for the tests of the enclosing `describe`. */
export function useBouncer(services: () => Partial<Services> = () => ({})): TestBouncer {
  const { value, set } = later<TestBouncer>("the bouncer");
  let bouncer: TestBouncer | undefined;
  before("start a bouncer", async () => {
    bouncer = await startTestBouncer(services());
    set(bouncer);
  });
  after("stop the bouncer", async () => {
    set(undefined);
    await bouncer?.close();
  });
  return value;
}

/** A phone's token as it is registered. */
export interface PhoneToken {
  readonly kind: TokenKind;
  readonly token: string;
  /** Base64 of 8 bytes */
  readonly tokenId: string;
  /** Content that the phone encrypts for the bouncer. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** Makes a token like those of Google or Apple. */
export function phoneToken(kind: TokenKind, token = randomBytes(32).toString("hex")): PhoneToken {
  const timestamp = Math.floor(Date.now() / 1_000);
  const app = kind === "apns" ? { ios_app_id: "test.carillon.app" } : {};
  const content = { token, token_kind: kind, timestamp, ...app };
  const digest = createHash("sha256").update(token).digest();
  return { kind, token, tokenId: digest.subarray(0, 8).toString("base64"), content };
}

/** Encrypts the content for the bouncer: `encrypted_push_registration`. */
export async function sealedFor(publicKey: string, content: unknown): Promise<string> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const sealed = await seal(Buffer.from(publicKey, "base64"), Buffer.from(text));
  return Buffer.from(sealed).toString("base64");
}
