import { channel, user, useScene, waitFor, type TestAccount } from "@carillon/testkit";
import { expect } from "chai";
import { ApiError, Client, replyTo } from "./index.ts";
import { errorOf } from "./test-support/failures.ts";
import { clientFor, startLossyProxy, useStub } from "./test-support/servers.ts";

describe("Client", () => {
  const scene = useScene();
  let me: TestAccount;
  let channelId: number;
  before(async () => {
    me = await user(scene.db, scene.org.realm);
    channelId = (await channel(scene.db, me)).id;
  });
  const own = () => clientFor(scene.gateway.url, me);
  const messages = async (client: Client) =>
    (
      await client.getMessages({
        anchor: "newest",
        num_before: 100,
        num_after: 0,
        apply_markdown: false,
        narrow: [{ operator: "channel", operand: channelId }],
      })
    ).messages;

  it("calls operations by method and by id", async () => {
    const client = own();
    expect((await client.getOwnUser()).user_id).to.equal(me.id);
    expect((await client.call("get-own-user")).user_id).to.equal(me.id);
    const { saved_snippet_id } = await client.createSavedSnippet({
      title: "a&b",
      content: "ä + %",
    });
    await client.editSavedSnippet({ saved_snippet_id, title: "new" });
    const { saved_snippets } = await client.getSavedSnippets();
    expect(saved_snippets).to.have.length(1);
    expect(saved_snippets[0]).to.include({ id: saved_snippet_id, title: "new", content: "ä + %" });
    await client.deleteSavedSnippet({ saved_snippet_id });
    expect((await client.getSavedSnippets()).saved_snippets).to.deep.equal([]);
  });

  it("sends names that look like numbers as names", async () => {
    const { name } = await channel(scene.db, me, { name: `${Date.now()}` });
    const { id } = await own().sendMessage({ type: "channel", to: name, topic: "t", content: "x" });
    const { message } = await own().getMessage({ message_id: id });
    expect(message.display_recipient).to.equal(name);
  });

  it("answers where a message was written", async () => {
    const other = await user(scene.db, scene.org.realm);
    const first = await own().sendMessage({ type: "direct", to: [other.id], content: "hello" });
    const got = await clientFor(scene.gateway.url, other).getMessage({ message_id: first.id });
    const answer = await clientFor(scene.gateway.url, other).sendMessage({
      ...replyTo(got.message),
      content: "hello yourself",
    });
    const { message } = await own().getMessage({ message_id: answer.id });
    expect(message).to.include({ type: "private", recipient_id: got.message.recipient_id });

    const { id } = await own().sendMessage({
      type: "channel",
      to: channelId,
      topic: "where",
      content: "x",
    });
    const inChannel = (await own().getMessage({ message_id: id })).message;
    expect(replyTo(inChannel)).to.deep.equal({ type: "channel", to: channelId, topic: "where" });
  });

  it("uploads a file and reads it", async () => {
    const { url } = await own().uploadFile({ file: new File(["content ä"], "note.txt") });
    const path_id = url.replace("/user_uploads/", "");
    expect(path_id).to.match(/note\.txt$/);
    const response = await own().readFile({ path_id });
    expect(await response.text()).to.equal("content ä");
    const part = await own().readFile({ path_id }, { headers: { Range: "bytes=0-3" } });
    expect([part.status, await part.text()]).to.deep.equal([206, "cont"]);
    const gone = await errorOf(own().readFile({ path_id: `${path_id}x` }));
    expect(gone).to.include({ status: 404, code: "BAD_REQUEST" });
  });

  it("throws the server's refusals with code, status and fields, but without credentials", async () => {
    const error = await errorOf(own().call("send-message", { type: "channel" } as never));
    expect(error).to.include({
      operation: "send-message",
      code: "REQUEST_VARIABLE_MISSING",
      status: 400,
      retryAfter: undefined,
    });
    expect(error.data).to.include({ var_name: "content" });
    expect(error.message).to.match(/^send-message: 400 REQUEST_VARIABLE_MISSING: \w/);
    const refused = await errorOf(
      new Client({ site: scene.gateway.url, email: "ä@x.test", apiKey: "k" }).getOwnUser(),
    );
    expect(refused).to.include({ status: 401, code: "UNAUTHORIZED" });
    const everything = JSON.stringify([refused, Object.entries(refused), refused.stack]);
    expect(everything).not.to.include("ä@x.test");
    const anonymous = new Client({ site: scene.gateway.url });
    expect((await anonymous.getServerSettings()).realm_url).to.be.a("string");
    expect(await errorOf(anonymous.getOwnUser())).to.include({ status: 401 });
  });

  it("rejects invalid options and parameters", async () => {
    for (const site of ["chat.example.org", "ftp://a.b", "", "http://", "https://me:key@a.b"])
      expect(() => new Client({ site }), site).to.throw(TypeError, "site");
    expect(() => new Client({ site: "http://a.b", email: "a@b" })).to.throw(TypeError, "apiKey");
    const client = own();
    for (const email of ["..", ".", ""])
      expect(await client.getUserByEmail({ email }).catch(String), email).to.match(/^TypeError/);
    const nan = client.getMessages({ num_before: Number.NaN }).catch(String);
    expect(await nan).to.match(/^TypeError: num_before/);
    for (const idempotencyKey of ["", "ä", "a,b", "a\nb", "x".repeat(256)])
      expect(
        await client.deleteEventQueue({ queue_id: "x" }, { idempotencyKey }).catch(String),
      ).to.match(/^TypeError: idempotencyKey/);
    expect(await client.call("constructor" as never, {} as never).catch(String)).to.match(
      /^TypeError/,
    );
  });

  it("accepts the address with a slash or the path of the API at the end", async () => {
    for (const end of ["/", "/api", "/api/v1/"])
      await new Client({ site: `${scene.gateway.url}${end}` }).getServerSettings();
  });

  describe("through a proxy that loses answers", () => {
    const send = (client: Client, content: string) =>
      client.sendMessage({ type: "channel", to: channelId, topic: "once", content });

    it("repeats a request with its key, so that it is carried out once", async () => {
      const proxy = await startLossyProxy(scene.gateway.url);
      const waits: number[] = [];
      const client = clientFor(proxy.url, me, { onRetry: (_, waitMs) => waits.push(waitMs) });
      proxy.lose("/api/v1/messages", 2);
      const { id } = await send(client, "only once");
      const again = await send(client, "only once");
      await proxy.close();
      expect(again.id).not.to.equal(id);
      const sent = (await messages(own())).filter(({ content }) => content === "only once");
      expect(sent.map((message) => message.id)).to.deep.equal([id, again.id]);
      const keys = proxy.seen.map(({ key }) => key);
      expect(keys).to.have.length(4);
      expect(new Set(keys.slice(0, 3)).size).to.equal(1);
      expect(keys[3]).not.to.equal(keys[0]);
      expect(waits).to.have.length(2);
    });

    it("repeats with a key of the caller after a restart", async () => {
      const options = { idempotencyKey: "from a file, once".replaceAll(/[ ,]/g, "-") };
      const twice = [1, 2].map(() =>
        own().sendMessage(
          { type: "channel", to: channelId, topic: "once", content: "stored" },
          options,
        ),
      );
      const [first, second] = await Promise.all(twice);
      expect(second?.id).to.equal(first?.id);
    });

    it("does not repeat operations that take no key", async () => {
      const proxy = await startLossyProxy(scene.gateway.url);
      proxy.lose("/api/v1/bots", 1);
      const client = clientFor(proxy.url, me);
      const error = await errorOf(
        client.createBot({ full_name: "Lost", short_name: `lost${Date.now()}` }),
      );
      await proxy.close();
      expect(error).to.include({ code: "NO_ANSWER", status: 0, operation: "create-bot" });
      expect(proxy.seen.map(({ path, key }) => [path, key])).to.deep.equal([
        ["POST /api/v1/bots", undefined],
      ]);
      const { members } = await own().getUsers();
      expect(members.filter(({ full_name }) => full_name === "Lost")).to.have.length(1);
    });
  });

  describe("with answers that are not those of the server", () => {
    const stub = useStub();
    const success = JSON.stringify({ result: "success", msg: "", id: 7 });
    const unavailable = JSON.stringify({ result: "error", msg: "Later.", code: "INTERNAL_ERROR" });
    const client = (options = {}) =>
      new Client({ site: stub.url, email: "a@b.test", apiKey: "secret-key", ...options });
    const send = (sender = client()) =>
      sender.sendMessage({ type: "channel", to: 1, topic: "t", content: "c" });
    /** Answers in turn; the last one for all further requests. */
    const answers = (...given: readonly [status: number, body: string, headers?: object][]) => {
      const left = [...given];
      stub.answer = (_, response) => {
        const [status, body, headers = {}] = (left.length > 1 ? left.shift() : left[0]) ?? [
          500,
          "",
        ];
        response.writeHead(status, { ...headers }).end(body);
      };
    };

    it("repeats after the error page of a proxy, a cut answer, 409 and 503", async () => {
      answers(
        [502, "<html><h1>Bad gateway</h1></html>"],
        [200, success.slice(0, 20)],
        [409, JSON.stringify({ result: "error", msg: "", code: "IDEMPOTENCY_KEY_IN_USE" })],
        [503, unavailable, { "Retry-After": "0" }],
        [200, success],
      );
      expect((await send()).id).to.equal(7);
      expect(stub.requests).to.have.length(5);
    });

    it("repeats other operations after 429 only", async () => {
      const limited = JSON.stringify({ result: "error", msg: "", code: "RATE_LIMIT_HIT" });
      answers([429, limited, { "Retry-After": "0.01" }], [503, unavailable]);
      const error = await errorOf(client().createBot({ full_name: "a", short_name: "b" }));
      expect(error).to.include({ status: 503, code: "INTERNAL_ERROR" });
      expect(stub.requests).to.have.length(2);
    });

    it("waits as long as the server says, unless it is more than a minute", async () => {
      const waits: number[] = [];
      answers([503, unavailable, { "Retry-After": "0.2" }], [200, success]);
      await send(client({ onRetry: (_: ApiError, waitMs: number) => waits.push(waitMs) }));
      expect(waits).to.have.length(1);
      expect(waits[0]).to.be.within(200, 700);
      for (const [header, body] of [
        ["1800", {}],
        [undefined, { "retry-after": 1_800 }],
      ] as const) {
        const text = JSON.stringify({ result: "error", msg: "", code: "RATE_LIMIT_HIT", ...body });
        answers([429, text, header ? { "Retry-After": header } : {}]);
        stub.requests.length = 0;
        expect(await errorOf(send())).to.include({ status: 429, retryAfter: 1_800 });
        expect(stub.requests).to.have.length(1);
      }
      answers([429, `{"result":"error","msg":"","code":"RATE_LIMIT_HIT","retry-after":1e999}`]);
      expect(await errorOf(send())).to.include({ retryAfter: Infinity });
      const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
      answers([503, "", { "Retry-After": inAnHour }]);
      expect((await errorOf(send())).retryAfter).to.be.within(3_500, 3_600);
    });

    it("gives up after its retries", async () => {
      answers([500, unavailable]);
      expect(await errorOf(send(client({ retries: 1 })))).to.include({ status: 500 });
      expect(stub.requests).to.have.length(2);
    });

    it("does not repeat a refusal", async () => {
      for (const [status, body, code] of [
        [
          400,
          JSON.stringify({ result: "error", msg: "No.", code: "SOMETHING_NEW" }),
          "SOMETHING_NEW",
        ],
        [403, "<html>", "BAD_ANSWER"],
        [404, "", "BAD_ANSWER"],
        [400, "[]", "BAD_ANSWER"],
        [302, "", "BAD_ANSWER"],
      ] as const) {
        stub.requests.length = 0;
        answers([status, body, status === 302 ? { Location: "/elsewhere" } : {}]);
        expect(await errorOf(send()), body).to.include({ status, code });
        expect(stub.requests, body).to.deep.equal(["POST /api/v1/messages"]);
      }
    });

    it("accepts no other value as a success", async () => {
      for (const body of [
        "null",
        "[]",
        '"success"',
        "{}",
        '{"result":"error"}',
        "\u0000",
        "9".repeat(400),
      ]) {
        answers([200, body]);
        expect(await errorOf(send(client({ retries: 0 }))), body).to.include({
          status: 200,
          code: "BAD_ANSWER",
        });
      }
    });

    it("reads no more of an answer than its limit, and does not repeat such a request", async () => {
      let sent = 0;
      stub.answer = (_, response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(65_536, " ");
        const more = () => {
          while (!response.destroyed && sent < 2 ** 30) {
            sent += chunk.length;
            if (!response.write(chunk)) return;
          }
        };
        response.on("drain", more);
        more();
      };
      const error = await errorOf(send(client({ maxAnswerBytes: 100_000 })));
      expect(error).to.include({ code: "ANSWER_TOO_LARGE", status: 200 });
      expect(error.message).to.include("100000 bytes");
      expect(stub.requests).to.have.length(1);
      expect(sent).to.be.below(2 ** 30);
      answers([200, success.replace('"msg":""', '"msg":"ä"')]);
      expect((await send(client({ maxAnswerBytes: success.length + 2 }))).id).to.equal(7);
      expect(await errorOf(send(client({ maxAnswerBytes: success.length + 1 })))).to.include({
        code: "ANSWER_TOO_LARGE",
      });
    });

    it("ends a request at its time limit", async () => {
      stub.answer = () => {};
      const error = await errorOf(send(client({ retries: 0, timeoutMs: 50 })));
      expect(error).to.include({ code: "NO_ANSWER", status: 0 });
      expect(error.message).to.include("50 ms");
      stub.answer = (_, response) => void response.writeHead(200).write('{"result":');
      expect(await errorOf(send(client({ retries: 0, timeoutMs: 50 })))).to.include({
        code: "NO_ANSWER",
      });
    });

    it("stops where the caller's signal is aborted: before, in a request, while it waits", async () => {
      const reason = new Error("enough");
      const call = (signal: AbortSignal, given = client()) =>
        given.getOwnUser({}, { signal }).then(
          () => "answered",
          (error: unknown) => error,
        );
      expect(await call(AbortSignal.abort(reason))).to.equal(reason);
      expect(stub.requests).to.deep.equal([]);

      stub.answer = () => {};
      const inRequest = new AbortController();
      const pending = call(inRequest.signal);
      await waitFor(() => stub.requests.length === 1, { what: "the request has arrived" });
      inRequest.abort(reason);
      expect(await pending).to.equal(reason);

      answers([503, unavailable, { "Retry-After": "59" }]);
      const inWait = new AbortController();
      const onRetry = () => inWait.abort(reason);
      expect(await call(inWait.signal, client({ onRetry }))).to.equal(reason);
    });

    it("names the program if it has a name", async () => {
      answers([200, success]);
      await client({ clientName: "weather" }).getOwnUser();
      expect(stub.requests).to.deep.equal(["GET /api/v1/users/me?client=weather"]);
    });
  });
});
