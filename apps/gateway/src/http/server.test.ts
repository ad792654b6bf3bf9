import { Agent, get } from "node:http";
import type { AddressInfo } from "node:net";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import Koa from "koa";
import { closeGatewayServer, createGatewayServer } from "./server.ts";

describe("the gateway's server", () => {
  it("accepts no new connections when it closes, and serves keep-alive connections for a while", async () => {
    const app = new Koa();
    let closing = false;
    app.use((ctx) => {
      ctx.res.shouldKeepAlive = !closing;
      ctx.body = "answered";
    });
    const server = createGatewayServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true });
    const ask = (by: Agent | false) =>
      new Promise<string | undefined>((resolve) => {
        const asked = get({ port, host: "127.0.0.1", agent: by }, (answer) => {
          answer.resume().on("end", () => resolve(answer.headers.connection));
        });
        asked.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      });
    expect(await ask(agent)).to.equal("keep-alive");
    closing = true;
    const closed = closeGatewayServer(server, 60_000);
    expect(await ask(false)).to.equal("ECONNREFUSED");
    expect(await ask(agent)).to.equal("close");
    await closed;
    agent.destroy();
  });

  it("answers running requests when it closes, and does not wait for idle connections", async () => {
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
    const closed = closeGatewayServer(server, 0);
    finish();
    expect(await answer).to.equal("answered");
    await closed;
    agent.destroy();
  });
});
