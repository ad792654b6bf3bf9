import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { greet } from "./greeting.ts";
import { CredentialFiles } from "./zuliprc.ts";

describe("the greeting without credential files", () => {
  let dataDir: string;
  let gateway: Server;
  /** The gateway's answer to `GET /server_settings`. */
  let status: number;
  let msg: string;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "carillon-greeting-"));
    gateway = createServer((request, response) => {
      response.statusCode = request.url === "/api/v1/server_settings" ? status : 404;
      response.end(JSON.stringify({ msg }));
    }).listen(0, "127.0.0.1");
    await once(gateway, "listening");
  });
  after(async () => {
    gateway.close();
    await rm(dataDir, { recursive: true });
  });

  const accounts = async () => {
    const gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    const text = await greet({
      site: gatewayUrl,
      webClient: true,
      gatewayUrl,
      dashboardUrl: "http://127.0.0.1:1",
      dashboardUser: "operator",
      dashboardPassword: "DASHBOARD_PASSWORD",
      dataDir,
      files: new CredentialFiles(dataDir),
    });
    return text.split("\n").find((line) => line.includes("Accounts"));
  };

  it("suggests creating an organization if there is none", async () => {
    [status, msg] = [503, "This server has no organization yet"];
    expect(await accounts()).to.match(/none yet: .* npx carillon organization create$/);
  });

  it("names the commands for accounts of an organization that was restored", async () => {
    [status, msg] = [200, ""];
    expect(await accounts()).to.match(/npx carillon account list .*npx carillon key issue/);
  });

  it("does not suggest creating an organization if the gateway refuses the request for another reason", async () => {
    [status, msg] = [503, "The organization is moving to another server; nothing was changed"];
    expect(await accounts()).to.match(/npx carillon account list/);
  });
});
