import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  installation,
  organization,
  reservePort,
  useDatabase,
  useProcesses,
  waitFor,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { hasProgram, makeCertificate, nginxCommand } from "./support/nginx.ts";

const deploy = new URL("../../deploy/", import.meta.url);

interface Ports {
  readonly plain: number;
  readonly tls: number;
  readonly gateway: number;
}

/** The configuration file that operators use, with the test's ports, names and certificates. */
type Prepare = (folder: string, ports: Ports) => Promise<string[]>;

const nginx: Prepare = async (folder, { plain, tls, gateway }) => {
  const { key, certificate } = makeCertificate(folder);
  const ours = (await readFile(new URL("nginx/carillon.conf", deploy), "utf8"))
    .replaceAll(/^ *listen \[::\].*\n/gm, "")
    .replace("listen 80;", `listen 127.0.0.1:${plain};`)
    .replace("listen 443 ", `listen 127.0.0.1:${tls} `)
    .replace("127.0.0.1:9991", `127.0.0.1:${gateway}`)
    .replace("/var/log/nginx", folder)
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
  return nginxCommand(folder, ours);
};

const caddy: Prepare = async (folder, { tls, gateway }) => {
  const ours = (await readFile(new URL("caddy/Caddyfile", deploy), "utf8"))
    .replace("chat.example.com {", `https://localhost:${tls} {\n\ttls internal`)
    .replace("127.0.0.1:9991", `127.0.0.1:${gateway}`);
  const global = `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tstorage file_system ${folder}\n}\n`;
  await writeFile(join(folder, "Caddyfile"), global + ours);
  return ["caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
};

for (const [name, prepare, programs] of [
  ["nginx", nginx, ["nginx", "openssl"]],
  ["Caddy", caddy, ["caddy"]],
] as const)
  describe(`Carillon behind ${name}, with the file in deploy`, () => {
    const db = useDatabase();
    const processes = useProcesses();
    let folder: string;
    before(async function () {
      if (!programs.every(hasProgram)) this.skip();
      folder = await mkdtemp(join(tmpdir(), "carillon-proxy-"));
    });
    after(async () => {
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    it("serves polls, large forms and the addresses of clients", async () => {
      const [plain, tls] = [await reservePort(), await reservePort()];
      const gateway = await processes.gateway({
        ...installation(db.url),
        TRUSTED_PROXIES: "127.0.0.1",
      });
      const port = Number(new URL(gateway.url).port);
      const [program = "", ...args] = await prepare(folder, { plain, tls, gateway: port });
      const proxy = processes.program(program, args, { HOME: folder, XDG_DATA_HOME: folder });
      try {
        const { member, owner } = await organization(db);
        const ask = asker(tls);
        const answers = () =>
          ask("GET", "/api/v1/server_settings").then(
            ({ status }) => status === 200,
            () => false,
          );
        await waitFor(answers, { what: `${name} serves: ${proxy.output()}` });

        const registered = await ask(
          "POST",
          "/api/v1/register",
          { event_types: '["message"]' },
          member,
        );
        const { queue_id, last_event_id } = registered.body as {
          queue_id: string;
          last_event_id: number;
        };
        const poll = ask(
          "GET",
          `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}`,
          undefined,
          member,
        );
        await waitFor(() => db.rows("SELECT FROM event_queue").then((rows) => rows.length === 1), {
          what: "the poll's queue",
        });
        const sent = await ask(
          "POST",
          "/api/v1/messages",
          { type: "direct", to: `[${member.id}]`, content: "through the proxy" },
          owner,
        );
        expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
        const { events } = (await poll).body as {
          events: Array<{ type: string; message: { content: string } }>;
        };
        expect(events.map(({ type }) => type)).to.deep.equal(["message"]);

        // The client's address, not the one that a client claims.
        const line = await waitFor(
          () =>
            gateway.lines.find(
              ({ path, method }) => path === "/api/v1/messages" && method === "POST",
            ),
          { what: "the request in the log" },
        );
        expect(line["address"]).to.equal(client);

        // Too large for a parameter, but not for the proxy, so that the gateway answers.
        const large = await ask(
          "POST",
          "/api/v1/messages",
          { type: "direct", to: `[${member.id}]`, content: "x".repeat(20 * 2 ** 20) },
          owner,
        );
        expect(large.body).to.include({ result: "error" });
      } finally {
        await proxy.stop().catch(() => proxy.kill());
      }
    });
  });

/** The client's address; 127.0.0.1 is the trusted proxy. */
const client = "127.0.0.9";

function asker(port: number) {
  return (
    method: string,
    path: string,
    params?: Readonly<Record<string, string>>,
    as?: TestAccount,
  ): Promise<{ status: number; body: unknown }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          path,
          method,
          localAddress: client,
          servername: "localhost",
          rejectUnauthorized: false,
          headers: {
            Host: `localhost:${port}`,
            "X-Forwarded-For": "6.6.6.6",
            ...(params && { "Content-Type": "application/x-www-form-urlencoded" }),
            ...(as && {
              Authorization: `Basic ${Buffer.from(`${as.deliveryEmail}:${as.apiKey}`).toString("base64")}`,
            }),
          },
        },
        (answer) => {
          let text = "";
          answer.on("data", (piece: Buffer) => (text += piece.toString()));
          answer.on("error", reject);
          answer.on("end", () => {
            const isJson = answer.headers["content-type"]?.startsWith("application/json");
            resolve({ status: answer.statusCode ?? 0, body: isJson ? JSON.parse(text) : text });
          });
        },
      );
      sent.on("error", reject);
      sent.end(params && new URLSearchParams(params).toString());
    });
}
