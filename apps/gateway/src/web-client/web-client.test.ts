import { mkdir, mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { startGateway, type Gateway } from "../test-support/sample-gateway.ts";
import { readWebClient } from "./files.ts";
import { pageHeaders } from "./policy.ts";

const script = `console.log("${"carillon ".repeat(200)}");`;
const page = `<!doctype html><script type="module" src="assets/main-ABCD2345.js"></script>`;

describe("the browser client", () => {
  let folder: string;
  let gateway: Gateway;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-web-client-"));
    await mkdir(join(folder, "assets"));
    const files: Readonly<Record<string, string | Buffer>> = {
      "index.html": page,
      "secret.js": "not an asset",
      "assets/main-ABCD2345.js": script,
      "assets/main-ABCD2345.js.br": brotliCompressSync(script),
      "assets/main-ABCD2345.js.gz": gzipSync(script),
      "assets/main-ABCD2345.css": "p{}",
      "assets/KaTeX_Main-Regular-ARRPAO67.woff2": Buffer.from([0, 1, 2, 3]),
      "assets/gone-ABCD2345.js": "1",
      "assets/files.json": "[]",
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, name), content);
    const built = await readWebClient(pathToFileURL(`${folder}/`));
    if (!built) throw new Error("nothing was read");
    gateway = await startGateway({
      webClient: { files: built, serverUrl: "https://chat.example.com:8443" },
    });
  });
  after(async () => {
    await gateway?.stop();
    await rm(folder, { recursive: true });
  });

  const get: Gateway["fetchBytes"] = (...request) => gateway.fetchBytes(...request);

  it("is a page at the root of every organization's host, which browsers ask for again", async () => {
    for (const host of ["chat.example.com", "team.chat.example.com", "127.0.0.1:9991", "x"]) {
      const { status, headers, body } = await get("/", { Host: host });
      expect([status, body.toString()]).to.deep.equal([200, page]);
      expect(headers["content-type"]).to.equal("text/html; charset=utf-8");
      expect(headers["cache-control"]).to.equal("no-cache");
      const known = await get("/", { Host: host, "If-None-Match": String(headers.etag) });
      expect([known.status, known.body.length, known.headers.etag]).to.deep.equal([
        304,
        0,
        headers.etag,
      ]);
      expect(known.headers["content-security-policy"]).to.equal(headers["content-security-policy"]);
    }
  });

  it("has a policy without inline code, which lets it call the server's organizations only", async () => {
    const { headers } = await get("/");
    const own = "'self' https://chat.example.com:8443 https://*.chat.example.com:8443";
    expect(String(headers["content-security-policy"]).split("; ")).to.deep.equal([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      `img-src ${own} data: blob: https://secure.gravatar.com`,
      `media-src ${own} blob:`,
      `connect-src ${own}`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers["x-content-type-options"]).to.equal("nosniff");
    expect(headers["referrer-policy"]).to.equal("same-origin");
    expect(headers["x-frame-options"]).to.equal("DENY");
    const policyOf = (serverUrl: string, pictures: string[] = []) =>
      pageHeaders({ serverUrl, pictures })["Content-Security-Policy"];
    for (const address of ["http://127.0.0.1:9991", "http://[::1]:9991"])
      expect(policyOf(address)).to.include(`connect-src 'self' ${address};`);
    expect(policyOf("https://a.example", ["https://id.example/a/b.svg?c"])).to.include(
      " https://secure.gravatar.com https://id.example;",
    );
  });

  it("has files that browsers keep for a year, with their media types", async () => {
    for (const [name, type] of [
      ["main-ABCD2345.js", "text/javascript; charset=utf-8"],
      ["main-ABCD2345.css", "text/css; charset=utf-8"],
      ["KaTeX_Main-Regular-ARRPAO67.woff2", "font/woff2"],
    ]) {
      const { status, headers } = await get(`/assets/${name}`);
      expect([status, headers["content-type"]]).to.deep.equal([200, type]);
      expect(headers["cache-control"]).to.equal("public, max-age=31536000, immutable");
      expect(headers["x-content-type-options"]).to.equal("nosniff");
      const known = await get(`/assets/${name}`, { "If-None-Match": String(headers.etag) });
      expect([known.status, known.body.length]).to.deep.equal([304, 0]);
    }
  });

  it("sends the forms that the build has compressed, and the file as it is to who takes no other", async () => {
    const decoders = {
      br: brotliDecompressSync,
      gzip: gunzipSync,
      identity: (bytes: Buffer) => bytes,
    };
    for (const [accepted, coding] of [
      ["gzip, deflate, br, zstd", "br"],
      ["br", "br"],
      ["*", "br"],
      ["gzip, deflate", "gzip"],
      ["br;q=0, gzip", "gzip"],
      ["identity, br;q=0.5", "identity"],
      ["deflate", "identity"],
      ["", "identity"],
    ] as const) {
      const answer = await get("/assets/main-ABCD2345.js", { "Accept-Encoding": accepted });
      expect(answer.headers["content-encoding"] ?? "identity", accepted).to.equal(coding);
      expect(answer.headers.vary).to.equal("Accept-Encoding");
      expect(decoders[coding](answer.body).toString()).to.equal(script);
    }
    const font = await get("/assets/KaTeX_Main-Regular-ARRPAO67.woff2", {
      "Accept-Encoding": "br",
    });
    expect([font.headers["content-encoding"], [...font.body]]).to.deep.equal([
      undefined,
      [0, 1, 2, 3],
    ]);
  });

  it("answers HEAD without a body, OPTIONS, and other methods with 405", async () => {
    for (const path of ["/", "/assets/main-ABCD2345.js"]) {
      const head = await get(path, { "Accept-Encoding": "br" }, "HEAD");
      const whole = await get(path, { "Accept-Encoding": "br" });
      expect([head.status, head.body.length]).to.deep.equal([200, 0]);
      for (const name of ["etag", "content-type", "content-encoding", "content-length"])
        expect(head.headers[name], name).to.equal(whole.headers[name]);
      const options = await get(path, {}, "OPTIONS");
      expect([options.status, options.headers.allow]).to.deep.equal([204, "GET"]);
      for (const method of ["POST", "PUT", "DELETE"]) {
        const refused = await get(path, {}, method);
        expect([refused.status, refused.headers.allow]).to.deep.equal([405, "GET"]);
      }
    }
  });

  it("serves nothing else, whatever the path", async () => {
    for (const name of [
      "unknown-ABCD2345.js",
      "main-ABCD2345.js.br",
      "files.json",
      "index.html",
      "..%2findex.html",
      "..%2Fsecret.js",
      "../secret.js",
      "%2e%2e/secret.js",
      "..%5csecret.js",
      "....//secret.js",
      "main-ABCD2345.js%00",
      "main-ABCD2345.js/",
      "%",
      "%ff",
      "__proto__",
      "constructor",
      "x".repeat(4_000),
    ]) {
      const { status, headers } = await get(`/assets/${name}`);
      expect(status, name).to.equal(404);
      expect(headers["cache-control"], name).to.equal("no-store");
      expect(headers["content-type"]).to.equal("application/json");
    }
    for (const path of ["/index.html", "/assets", "/assets/", "/secret.js"])
      expect((await get(path)).status, path).to.equal(404);
  });

  it("answers 404 for a file that a later build has deleted", async () => {
    await unlink(join(folder, "assets/gone-ABCD2345.js"));
    expect((await get("/assets/gone-ABCD2345.js")).status).to.equal(404);
  });

  it("is not served unless it is built and given", async () => {
    expect(await readWebClient(pathToFileURL(`${folder}/none/`))).to.equal(undefined);
    const without = await startGateway();
    try {
      for (const path of ["/", "/assets/main-ABCD2345.js"]) {
        const { status, json } = await without.send("GET", path);
        expect([status, json["code"]]).to.deep.equal([404, "NOT_FOUND"]);
      }
    } finally {
      await without.stop();
    }
  });
});
