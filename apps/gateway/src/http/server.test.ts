import { Agent, get } from "node:http";
import type { AddressInfo } from "node:net";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import Koa from "koa";
import { closeGatewayServer, createGatewayServer } from "./server.ts";

describe("the gateway's server", () => {
  it("answers what is under way when it closes, and does not wait for kept connections", async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let asked = false;
    const app = new Koa();
    app.use(async (ctx) => {
      asked = true;
      await finished;
      ctx.body = "answered";
    });
    const server = createGatewayServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true });
    const answer = new Promise<string>((resolve, reject) => {
      get({ port, host: "127.0.0.1", agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve(text));
      }).on("error", reject);
    });
    await waitFor(() => asked, { what: "the request is under way" });
    const closed = closeGatewayServer(server);
    finish();
    expect(await answer).to.equal("answered");
    await closed;
    agent.destroy();
  });
});
