import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  authorization,
  reservePort,
  type TestAccount,
  type TestProcess,
  type useProcesses,
  waitFor,
} from "@carillon/testkit";
import { makeCertificate, nginxCommand } from "./nginx.ts";

const deploy = new URL("../../../deploy/cells/", import.meta.url);

/** A request to an organization. */
export interface ProxyRequest {
  /** Default: `GET /server_settings`. */
  readonly path?: string;
  /** Makes the request a POST. */
  readonly form?: Readonly<Record<string, string>>;
  readonly as?: TestAccount;
}

export interface ProxyAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A way to send requests. */
export interface Connection {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly close: () => void;
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
  readonly #agent = new Agent({ rejectUnauthorized: false, keepAlive: false });
  #nginx: TestProcess | undefined;

  private constructor(folder: string, port: number, template: string) {
    this.folder = folder;
    this.port = port;
    this.#template = template;
  }

  /** Prepares the configuration, with free ports and a certificate in a new folder. */
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
  async writeHosts(
    hosts: Iterable<readonly [host: string, cell: string]> = this.hosts,
  ): Promise<void> {
    const lines = [...hosts].map(([host, cell]) => `${host} ${cell};\n`);
    await writeFile(join(this.folder, "hosts.map"), lines.join(""));
  }

  /** Writes `sites.conf`, the file that operators edit, with the cells of this test. */
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

  /** Asks nginx to reload a faulty configuration, and waits for its error. */
  async reloadFaulty(error: RegExp): Promise<void> {
    const nginx = this.#nginx;
    nginx?.signal("SIGHUP");
    await waitFor(() => error.test(nginx?.output() ?? ""), { what: "nginx refuses the reload" });
  }

  /** Sends a request to the host name of an organization. */
  async ask(
    subdomain: string,
    { path = "/api/v1/server_settings", form, as }: ProxyRequest = {},
  ): Promise<ProxyAnswer> {
    const response = await this.fetch(`https://${subdomain}.example.com${path}`, {
      method: form ? "POST" : "GET",
      headers: as ? authorization({ email: as.deliveryEmail, apiKey: as.apiKey }) : {},
      body: form ? new URLSearchParams(form) : null,
    });
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
    };
  }

  /**
   * Works as `fetch`, with HTTP/1.1, for any host name below example.com. Opens a connection for each request: at a reload
   * nginx closes idle connections, and a request that is being sent on one of them fails and must not be repeated.
   */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> => {
    const { host, pathname, search } = new URL(url);
    const { method, headers, body, signal } = init;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          path: pathname + search,
          method,
          agent: this.#agent,
          servername: "localhost",
          ...(signal && { signal }),
          headers: { ...(headers as Record<string, string>), Host: host, ...typeOf(body) },
        },
        (answer) => {
          void text(answer).then(
            (all) => resolve(responseOf(answer.statusCode, answer.headers, all)),
            reject,
          );
        },
      );
      sent.on("error", reject);
      sent.end(body instanceof URLSearchParams ? body.toString() : undefined);
    });
  };

  /** `fetch` as browsers do it: with one connection of HTTP/2 for all requests, until the server ends the connection. */
  http2(): Connection {
    let session: ClientHttp2Session | undefined;
    const connected = () => {
      if (session && !session.closed && !session.destroyed) return session;
      const made = connect(`https://localhost:${this.port}`, { rejectUnauthorized: false });
      // Each request on the connection gets the error too.
      made.on("error", () => {});
      // nginx wants no more requests on this connection.
      made.on("goaway", () => {
        if (session === made) session = undefined;
        made.close();
      });
      return (session = made);
    };
    const fetch: Connection["fetch"] = (url, init) => {
      const { method = "GET", headers, body, signal } = init;
      const { host, pathname, search } = new URL(url);
      return new Promise((resolve, reject) => {
        const stream = connected().request(
          {
            ...(headers as Record<string, string>),
            ...typeOf(body),
            ":method": method,
            ":path": pathname + search,
            ":authority": host,
          },
          signal ? { signal } : {},
        );
        stream.on("response", (answer) => {
          void text(stream).then(
            (all) => resolve(responseOf(answer[":status"], answer, all)),
            reject,
          );
        });
        stream.on("error", (error) => {
          // The server has not processed the request, so every client may repeat it (RFC 9113, section 8.7).
          if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) resolve(fetch(url, init));
          else reject(error);
        });
        stream.end(body instanceof URLSearchParams ? body.toString() : undefined);
      });
    };
    return { fetch, close: () => session?.destroy() };
  }
}

function typeOf(body: RequestInit["body"]): Record<string, string> {
  return body ? { "content-type": "application/x-www-form-urlencoded" } : {};
}

function responseOf(status = 0, headers: IncomingHttpHeaders, all: string): Response {
  // The names of HTTP/2's own fields begin with a colon.
  const fields = Object.entries(headers).flatMap(([name, value]): Array<[string, string]> =>
    typeof value === "string" && !name.startsWith(":") ? [[name, value]] : [],
  );
  return new Response(all, { status, headers: fields });
}

/** Titles of the processes below nginx's master, by their ids. */
async function workersOf(master: number): Promise<Map<string, string>> {
  const children = await readFile(`/proc/${master}/task/${master}/children`, "utf8");
  const found = new Map<string, string>();
  for (const pid of children.split(" ").filter(Boolean))
    found.set(pid, await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "is shutting down"));
  return found;
}
