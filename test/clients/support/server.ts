import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@carillon/db";
import {
  type FirstAccount,
  type FirstAccountName,
  createFirstOrganization,
  firstAccounts,
} from "@carillon/domain";
import {
  clientOf,
  createTestDatabase,
  installation,
  reservePort,
  testSite,
  useProcesses,
  type ApiCredentials,
  type GatewayClient,
  type TestDatabase,
  type TestProcess,
  type Variables,
} from "@carillon/testkit";

/**
 * The server that clients use: a gateway and a worker in their own processes, and the organization of a first start.
 */
export class Server {
  readonly #accounts = firstAccounts(true);
  readonly #processes = useProcesses();
  #database: TestDatabase | undefined;
  #db: Database | undefined;
  #folder = "";
  #variables: Variables = {};
  #gateway: TestProcess | undefined;
  /** The address that clients use. */
  url = "";

  /** @param more starts what the server needs, given its address; returns further variables of its processes */
  async start(more?: (url: string) => Promise<Variables>): Promise<void> {
    this.#database = await createTestDatabase();
    this.#db = await this.#database.connect({ max: 2 });
    this.#folder = await mkdtemp(join(tmpdir(), "carillon-clients-"));
    const port = String(await reservePort());
    this.url = `http://127.0.0.1:${port}`;
    await createFirstOrganization(this.#db, testSite({ url: this.url }), {
      demo: true,
      accounts: this.#accounts,
    });
    this.#variables = {
      ...installation(this.#database.url),
      PORT: port,
      PUBLIC_URL: this.url,
      RATE_LIMITS: "off",
      ...(await more?.(this.url)),
    };
    [this.#gateway] = await Promise.all([
      this.#processes.gateway(this.#variables),
      this.#processes.worker(this.#variables),
    ]);
  }

  async end(): Promise<void> {
    await this.#database?.drop();
    if (this.#folder) await rm(this.#folder, { recursive: true });
  }

  /** Its database, for data that clients cannot read. */
  get db(): Database {
    if (!this.#db) throw new Error("the server has not been started");
    return this.#db;
  }

  /** Stops the gateway with SIGTERM, or kills it with SIGKILL. */
  async stopGateway(how: "stop" | "kill"): Promise<void> {
    await this.#gateway?.[how]();
  }

  /** Starts a gateway at the address that clients use. */
  async startGateway(): Promise<void> {
    this.#gateway = await this.#processes.gateway(this.#variables);
  }

  /** Starts another gateway of the same installation. @returns its address */
  async secondGateway(): Promise<string> {
    return (await this.#processes.gateway({ ...this.#variables, PORT: "0" })).url;
  }

  account(name: FirstAccountName): FirstAccount {
    const found = this.#accounts.find((account) => account.name === name);
    if (!found) throw new Error(`the first organization has no ${name}`);
    return found;
  }

  /** Returns a client of an account; without a name, an anonymous one. */
  as(name: FirstAccountName | undefined, url = this.url): GatewayClient {
    return clientOf(url, name && this.account(name));
  }

  /** A folder for files of clients. */
  get folder(): string {
    return this.#folder;
  }

  /** Writes a file with an account's credentials, as the standalone does. @returns its path */
  async zuliprc(whose: FirstAccountName | ApiCredentials): Promise<string> {
    const { email, apiKey } = typeof whose === "string" ? this.account(whose) : whose;
    const path = join(this.#folder, `${email}.zuliprc`);
    await writeFile(path, `[api]\nemail=${email}\nkey=${apiKey}\nsite=${this.url}\n`, {
      mode: 0o600,
    });
    return path;
  }
}

/**
 * Starts a server for the tests of the enclosing `describe`.
 * @param more as for {@link Server.start}
 */
export function useServer(more?: (url: string) => Promise<Variables>): Server {
  const server = new Server();
  before("start a server", () => {
    return server.start(more);
  });
  after("end the server", () => server.end());
  return server;
}
