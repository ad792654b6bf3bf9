import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { form, operation, path } from "@carillon/contract";
import { buildApp, createGatewayServer, handlerFor, type Authenticate } from "@carillon/gateway";
import { silentLogger } from "@carillon/kit";
import { expect } from "chai";
import * as z from "zod";
import { call, succeed } from "./api-client.ts";

const tag = operation({
  id: "tag-thing",
  method: "POST",
  path: "/api/v1/things/{name}",
  access: "account",
  params: { tags: form.json(z.array(z.string())), loud: form.bool().default(false) },
  pathParams: { name: path.text() },
  result: { name: z.string(), tags: z.array(z.string()), loud: z.boolean() },
  summary: "Tag a thing",
});

const auth = { email: "a@b.test", apiKey: "key" };
const authenticate: Authenticate = async ({ apiKey }) =>
  apiKey === auth.apiKey
    ? { id: 1, realmId: 1, role: 400, isBot: false, botType: null }
    : { refused: "unknown key" };

describe("call", () => {
  let server: Server;
  let base: string;
  before(async () => {
    const handle = handlerFor<null>();
    const app = buildApp({
      operations: [tag],
      handlers: [handle(tag, async ({ input, path: { name } }) => ({ name, ...input }))],
      services: null,
      authenticate,
      log: silentLogger,
    });
    server = createGatewayServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const as of ["form", "query", "multipart"] as const) {
    it(`sends parameters as ${as}`, async () => {
      const params = { tags: ["ä", "b"], loud: true, extra: undefined };
      const body = await succeed(base, tag, { auth, as, params, path: { name: "a b/c" } });
      expect(body).to.deep.equal({
        result: "success",
        msg: "",
        name: "a b/c",
        tags: ["ä", "b"],
        loud: true,
      });
      const tags: string[] = body.tags;
      expect(tags).to.have.length(2);
    });
  }

  it("sends files, strings unchanged, and parameter names that the operation does not have", async () => {
    const params = { tags: '["x"]', n: 1 };
    const files = { upload: new Blob(["bytes"]) };
    const { body } = await call(base, tag, { auth, params, files, path: { name: "t" } });
    expect(body.tags).to.deep.equal(["x"]);
    expect(body.ignored_parameters_unsupported).to.deep.equal(["n", "upload"]);
  });

  it("returns refusals, or throws them if success is required", async () => {
    const { status, body, headers } = await call(base, tag, { path: { name: "t" } });
    expect([status, body.code]).to.deep.equal([401, "UNAUTHORIZED"]);
    expect(headers.get("www-authenticate")).to.contain("Basic");
    const failure = await succeed(base, tag, { auth, path: { name: "t" } }).catch(
      (error: Error) => error,
    );
    expect(failure).to.have.property("message").that.contains("tag-thing answered 400");
  });
});
