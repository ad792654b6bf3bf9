import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

interface Service {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly logging?: { readonly options?: Readonly<Record<string, string>> };
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: {
    readonly replicas?: number;
    readonly resources?: { readonly limits?: { readonly memory?: string } };
  };
  readonly ports?: ReadonlyArray<{ readonly published: string; readonly host_ip?: string }>;
}

describe("docker-compose.yml", () => {
  const [program = "", ...args] = (process.env["CARILLON_TEST_COMPOSE"] ?? "").split(" ");
  let folder: string;

  before(async function () {
    if (!program) this.skip();
    folder = await mkdtemp(join(tmpdir(), "carillon-compose-"));
    await cp(join(root, "docker-compose.yml"), join(folder, "docker-compose.yml"));
    await cp(join(root, "docker"), join(folder, "docker"), { recursive: true });
    await run("sh", [join(folder, "docker/make-secrets.sh")]);
  });
  after(async () => {
    if (folder) await rm(folder, { recursive: true });
  });

  /** The file as compose resolves it. */
  const services = async (variables: Record<string, string> = {}) => {
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(folder, ".env"), lines.join(""));
    const env = { PATH: process.env["PATH"], HOME: folder };
    const { stdout } = await run(program, args, { cwd: folder, env });
    const { services: all } = JSON.parse(stdout) as { services: Record<string, Service> };
    // Only the parser shows the services of every profile.
    const chosen = variables["COMPOSE_PROFILES"]?.split(",") ?? [];
    const isChosen = ({ profiles }: Service) =>
      profiles?.some((one) => chosen.includes(one)) ?? true;
    return Object.fromEntries(Object.entries(all).filter(([, service]) => isChosen(service)));
  };

  it("is read by compose's own parser, and hardens every service", async () => {
    const all = Object.entries(await services({ COMPOSE_PROFILES: "tls,push" }));
    expect(all.length).to.be.greaterThan(7);
    for (const [name, service] of all) {
      expect(service.read_only, `${name}: read_only`).to.equal(true);
      expect(service.cap_drop, `${name}: cap_drop`).to.deep.equal(["ALL"]);
      expect(service.security_opt, name).to.deep.equal(["no-new-privileges:true"]);
      expect(service.logging?.options, `${name}: logging`).to.include.keys("max-size", "max-file");
      expect(service.deploy?.resources?.limits?.memory, `${name}: memory`).to.match(/^\d+[mg]?$/);
      if (!service.image.startsWith("carillon:")) {
        expect(service.image, name).to.match(/^[a-z]+:\d+\.\d+(\.\d+)?@sha256:[0-9a-f]{64}$/);
      }
    }
  });

  it("passes no secret as a variable", async () => {
    const made = await Promise.all(
      ["secret_key", "postgres_password", "dashboard_password"].map((name) =>
        readFile(join(folder, "secrets", name), "utf8"),
      ),
    );
    const text = JSON.stringify(await services());
    for (const secret of made) {
      expect(secret).to.match(/^[0-9a-f]{64}$/);
      expect(text).not.to.contain(secret);
    }
  });

  it("takes numbers of replicas and limits from variables", async () => {
    const few = await services();
    expect([few["gateway"]?.deploy?.replicas, few["worker"]?.deploy?.replicas]).to.deep.equal([
      1, 1,
    ]);
    const many = await services({ GATEWAYS: "2", WORKERS: "3", WORKER_MEMORY: "1g" });
    expect([many["gateway"]?.deploy?.replicas, many["worker"]?.deploy?.replicas]).to.deep.equal([
      2, 3,
    ]);
    expect(many["worker"]?.deploy?.resources?.limits?.memory).to.be.oneOf(["1g", String(2 ** 30)]);
  });

  it("listens only on this machine, or on 443 with a domain if configured", async () => {
    for (const [name, { ports = [] }] of Object.entries(await services())) {
      for (const { host_ip } of ports) expect(host_ip, name).to.equal("127.0.0.1");
    }
    const tls = (await services({ COMPOSE_PROFILES: "tls", DOMAIN: "chat.example.com" }))["tls"];
    expect(tls?.ports?.map(({ published }) => published)).to.include.members(["80", "443"]);
  });

  it("keeps existing secrets when services are started again", async () => {
    const file = join(folder, "secrets/postgres_password");
    const before = await readFile(file, "utf8");
    await rm(join(folder, "secrets/dashboard_password"));
    const { stdout } = await run("sh", [join(folder, "docker/make-secrets.sh")]);
    expect(stdout).to.match(/postgres_password is there\n.*dashboard_password made/);
    expect(await readFile(file, "utf8")).to.equal(before);
    expect((await stat(join(folder, "secrets"))).mode & 0o777).to.equal(0o700);
    expect((await stat(file)).mode & 0o777).to.equal(0o444);
  });
});
