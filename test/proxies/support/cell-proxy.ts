import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  reservePort,
  type TestAccount,
  type TestProcess,
  type useProcesses,
  waitFor,
} from "@carillon/testkit";
import { makeCertificate, nginxCommand } from "./nginx.ts";

const deploy = new URL("../../../deploy/cells/", import.meta.url);

/** A request to an organization. */
export interface Asked {
  /** Default: the settings of the server. */
  readonly path?: string;
  /** Makes the request a POST. */
  readonly form?: Readonly<Record<string, string>>;
  readonly as?: TestAccount;
}

export interface Asking {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** nginx with the files of `deploy/cells`, in front of the gateways of several cells. */
export class CellProxy {
  /** Cell of each host name, as `hosts.map` lists it. */
  readonly hosts = new Map<string, string>();
  /** Port of the gateway of each cell. */
  readonly gateways = new Map<string, number>();
  readonly folder: string;
  readonly port: number;
  readonly #template: string;
  readonly #agent = new Agent({ rejectUnauthorized: false });
  #nginx: TestProcess | undefined;

  private constructor(folder: string, port: number, template: string) {
    this.folder = folder;
    this.port = port;
    this.#template = template;
  }

  /** Prepares the configuration, in a folder of its own. */
  static async create(): Promise<CellProxy> {
    const folder = await mkdtemp(join(tmpdir(), "carillon-cells-"));
    const port = await reservePort();
    const plain = await reservePort();
    const { key, certificate } = makeCertificate(folder);
    const template = (await readFile(new URL("cells.conf", deploy), "utf8"))
      .replace("/etc/nginx/hosts.map", join(folder, "hosts.map"))
      .replace("listen 80;", `listen 127.0.0.1:${plain};`)
      .replace("listen 443 ", `listen 127.0.0.1:${port} `)
      .replace("/var/log/nginx", folder)
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
    return new CellProxy(folder, port, template);
  }

  /** Starts nginx with the hosts and gateways that were added. */
  async start(processes: ReturnType<typeof useProcesses>): Promise<void> {
    await this.writeHosts();
    const [program = "", ...args] = await nginxCommand(this.folder, this.#sites());
    this.#nginx = processes.program(program, args, { HOME: this.folder });
    const [host = ""] = this.hosts.keys();
    await waitFor(() => this.ask(host.split(".")[0] ?? "").then(({ status }) => status === 200), {
      what: "nginx serves",
    });
  }

  /** Stops nginx, and deletes the folder. A killed nginx would leave its workers running. */
  async stop(): Promise<void> {
    await this.#nginx?.stop().catch(() => this.#nginx?.kill());
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Writes `hosts.map`. */
  async writeHosts(): Promise<void> {
    const lines = [...this.hosts].map(([host, cell]) => `${host} ${cell};\n`);
    await writeFile(join(this.folder, "hosts.map"), lines.join(""));
  }

  /** Writes the operators' file, with the cells of this test. */
  async writeSites(): Promise<void> {
    await writeFile(join(this.folder, "sites.conf"), this.#sites());
  }

  #sites(): string {
    const upstreams = [...this.gateways].map(
      ([cell, port]) =>
        `upstream cell_${cell} {\n  least_conn;\n  server 127.0.0.1:${port} max_fails=2 fail_timeout=5s;\n  keepalive 64;\n}\n`,
    );
    return upstreams.join("") + this.#template.replaceAll(/^upstream [^]*?^\}\n/gm, "");
  }

  /** Reloads nginx, and waits until its old workers accept no more connections. */
  async reload(): Promise<void> {
    const nginx = this.#nginx;
    if (!nginx) throw new Error("nginx has not been started");
    const old = await workersOf(nginx.pid);
    nginx.signal("SIGHUP");
    await waitFor(
      async () => {
        const now = await workersOf(nginx.pid);
        const isAccepting = ([pid, title]: [string, string]) =>
          old.has(pid) && !title.includes("is shutting down");
        return now.size > 0 && ![...now].some(isAccepting);
      },
      { what: "nginx has new workers" },
    );
  }

  /** Sends a request to the host name of an organization. */
  ask(
    subdomain: string,
    { path = "/api/v1/server_settings", form, as }: Asked = {},
  ): Promise<Asking> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          path,
          method: form ? "POST" : "GET",
          agent: this.#agent,
          servername: "localhost",
          headers: {
            Host: `${subdomain}.example.com`,
            ...(form && { "Content-Type": "application/x-www-form-urlencoded" }),
            ...(as && {
              Authorization: `Basic ${Buffer.from(`${as.deliveryEmail}:${as.apiKey}`).toString("base64")}`,
            }),
          },
        },
        (answer) => {
          let text = "";
          answer.on("data", (piece: Buffer) => (text += piece.toString()));
          answer.on("error", reject);
          answer.on("end", () =>
            resolve({
              status: answer.statusCode ?? 0,
              body: JSON.parse(text) as Record<string, unknown>,
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(form && new URLSearchParams(form).toString());
    });
  }
}

/** Titles of the processes below nginx's master, by their ids. */
async function workersOf(master: number): Promise<Map<string, string>> {
  const children = await readFile(`/proc/${master}/task/${master}/children`, "utf8");
  const found = new Map<string, string>();
  for (const pid of children.split(" ").filter(Boolean))
    found.set(pid, await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "is shutting down"));
  return found;
}
