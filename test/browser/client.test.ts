import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { channel, useScene } from "@carillon/testkit";
import { expect } from "chai";
import { build } from "esbuild";
import { useChromium } from "./support/chromium.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the page's program leaves for the test. */
interface Result {
  readonly contents: readonly string[];
  readonly code: string;
  readonly reason: string;
}

describe("The client in a browser", () => {
  const newPage = useChromium();
  const scene = useScene();

  it("sends, gets events and refusals from a server of another origin", async () => {
    const { org, gateway, db } = scene;
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const account = {
      site: gateway.url,
      email: org.member.deliveryEmail,
      apiKey: org.member.apiKey,
    };
    const program = `
      import { Client } from "@carillon/client";
      (async () => {
        const client = new Client(${JSON.stringify(account)});
        const ends = new AbortController();
        const contents = [];
        let reason = "";
        try {
          for await (const event of client.events({ event_types: ["message"], signal: ends.signal })) {
            if (event.type === "registered")
              await client.sendMessage({ type: "channel", to: ${room.id}, topic: "browser", content: "from a page ä" });
            else {
              contents.push(event.message.content);
              ends.abort(new Error("enough"));
            }
          }
        } catch (error) {
          reason = error.message;
        }
        const other = new Client({ ...${JSON.stringify(account)}, apiKey: "x" });
        const code = await other.getOwnUser().catch((error) => error.code);
        globalThis.result = { contents, code, reason };
      })().catch((error) => (globalThis.result = { contents: [], code: String(error), reason: "" }));
    `;
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: root },
      bundle: true,
      format: "esm",
      platform: "browser",
      conditions: ["source"],
      write: false,
    });
    const server = createServer((_, response) => {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end(`<!doctype html><link rel="icon" href="data:,">
        <script type="module">${outputFiles[0]?.text ?? ""}</script>`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { page } = await newPage({});
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await page.waitForFunction("globalThis.result !== undefined");
    const result = await page.evaluate<Result>("globalThis.result");
    server.closeAllConnections();
    server.close();
    expect(result).to.deep.equal({
      contents: ["from a page ä"],
      code: "UNAUTHORIZED",
      reason: "enough",
    });
  });
});
