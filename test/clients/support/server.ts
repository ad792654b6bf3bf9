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

/** What clients find: a gateway and a worker in their own processes, and the organization that a first start makes. */
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

  async start(): Promise<void> {
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

  /** Its database, for what no client is told. */
  get db(): Database {
    if (!this.#db) throw new Error("the server has not been started");
    return this.#db;
  }

  /** Ends the gateway by SIGTERM, or by kill -9. */
  async stopGateway(how: "stop" | "kill"): Promise<void> {
    await this.#gateway?.[how]();
  }

  /** Starts a gateway at the address that clients use. */
  async startGateway(): Promise<void> {
    this.#gateway = await this.#processes.gateway(this.#variables);
  }

  /** One more gateway of the same installation. @returns its address */
  async secondGateway(): Promise<string> {
    return (await this.#processes.gateway({ ...this.#variables, PORT: "0" })).url;
  }

  account(name: FirstAccountName): FirstAccount {
    const found = this.#accounts.find((account) => account.name === name);
    if (!found) throw new Error(`the first organization has no ${name}`);
    return found;
  }

  /** Requests of an account, or of nobody. */
  as(name: FirstAccountName | undefined, url = this.url): GatewayClient {
    return clientOf(url, name && this.account(name));
  }

  /** A folder for what clients write. */
  get folder(): string {
    return this.#folder;
  }

  /** The file with an account's credentials, as the standalone writes it. @returns its path */
  async zuliprc(whose: FirstAccountName | ApiCredentials): Promise<string> {
    const { email, apiKey } = typeof whose === "string" ? this.account(whose) : whose;
    const path = join(this.#folder, `${email}.zuliprc`);
    await writeFile(path, `[api]\nemail=${email}\nkey=${apiKey}\nsite=${this.url}\n`, {
      mode: 0o600,
    });
    return path;
  }
}

/** A server for the tests of the enclosing `describe`. */
export function useServer(): Server {
  const server = new Server();
  before("start a server", function () {
    this.timeout(60_000);
    return server.start();
  });
  after("end the server", () => server.end());
  return server;
}
