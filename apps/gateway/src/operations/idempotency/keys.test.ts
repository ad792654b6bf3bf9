import { request } from "node:http";
import {
  askWithKey,
  bot,
  channel,
  channelMessage,
  changesOf,
  crowd,
  type KeyedAsk,
  messagesPath,
  refused,
  refusedWith,
  replayed,
  send,
  succeeded,
  toChannel,
  user,
  useScene,
  type Answer,
  type GatewayClient,
  type Params,
  type TestChannel,
} from "@carillon/testkit";
import { roles } from "@carillon/contract";
import { expect } from "chai";

describe("A request with an Idempotency-Key", () => {
  const scene = useScene();
  let room: TestChannel;
  let client: GatewayClient;
  let keys = 0;

  before(async () => {
    room = await channel(scene.db, scene.org.realm, { subscribers: [scene.org.member] });
    client = scene.as(scene.org.member);
  });

  const newKey = () => `key-${++keys}`;
  const sending = (key: string, params: Params = {}): KeyedAsk => ({
    path: messagesPath,
    params: toChannel(room.id, { content: key, ...params }),
    key,
  });
  const ask = (asked: KeyedAsk, as = client) => askWithKey(as, asked);
  const countOf = async (content: string) => {
    const rows = await scene.db.rows("SELECT FROM messages WHERE content = $1", [content]);
    return rows.length;
  };
  /** Makes the request twice: the second must change nothing and have the answer of the first. */
  const twice = async (asked: KeyedAsk, as = client): Promise<Answer> => {
    const first = await ask(asked, as);
    succeeded(first);
    expect(replayed(first)).to.equal("false");
    const { result: second, tables } = await changesOf(scene.db, () => ask(asked, as));
    expect(second.text).to.equal(first.text);
    expect(replayed(second)).to.equal("true");
    expect(tables, "tables that a repeat has changed").to.deep.equal([]);
    return first;
  };

  describe("repeated with the same parameters", () => {
    it("gets the stored answer, and changes nothing", async () => {
      const key = newKey();
      await twice(sending(key));
      expect(await countOf(key)).to.equal(1);
    });

    it("gets the stored answer from operations with one transaction, a shared commit or early preparation", async () => {
      const { moderator } = scene.org;
      const id = await send(client, toChannel(room.id));
      const other = await send(client, toChannel(room.id));
      const drafts = [{ type: "private", to: [moderator.id], topic: "", content: "draft" }];
      await twice({ path: "/api/v1/drafts", params: { drafts }, key: newKey() });
      const { body } = await twice({
        path: "/api/v1/scheduled_messages",
        params: channelMessage(room.id),
        key: newKey(),
      });
      const scheduled = `/api/v1/scheduled_messages/${String(body["scheduled_message_id"])}`;
      await twice({ method: "PATCH", path: scheduled, params: { content: "new" }, key: newKey() });
      await twice({ method: "DELETE", path: scheduled, key: newKey() });
      const reminder = {
        message_id: id,
        scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
      };
      await twice({ path: "/api/v1/reminders", params: reminder, key: newKey() });
      const edited = await twice({
        method: "PATCH",
        path: `/api/v1/messages/${id}`,
        params: { content: "edited" },
        key: newKey(),
      });
      expect(edited.body["detached_uploads"]).to.deep.equal([]);
      await twice(
        { method: "DELETE", path: `/api/v1/messages/${other}`, key: newKey() },
        scene.as(scene.org.admin),
      );
    });

    it("gets the stored answer for the same parameters in any order, place, encoding and alias", async () => {
      const key = newKey();
      const first = succeeded(
        await ask({ ...sending(key), params: toChannel(room.id, { content: "ä b" }) }),
      );
      const multipart = new FormData();
      for (const [name, value] of [
        ["content", "ä b"],
        ["subject", "lunch"],
        ["to", String(room.id)],
      ] as const)
        multipart.set(name, value);
      const headers = { "Idempotency-Key": key };
      const repeats = [
        client.send("POST", `${messagesPath}?type=channel`, { body: multipart, headers }),
        client.send(
          "POST",
          `${messagesPath}?content=%C3%A4+b&topic=lunch&to=${room.id}&type=channel`,
          { headers },
        ),
      ];
      for (const repeat of await Promise.all(repeats)) {
        expect(replayed(repeat), repeat.text).to.equal("true");
        expect(repeat.body["id"]).to.equal(first["id"]);
      }
    });

    it("may have other values for client, queue_id and local_id, and unknown parameters, which are reported", async () => {
      const key = newKey();
      const first = succeeded(
        await ask(sending(key, { queue_id: "1:1", local_id: "1.1", client: "one" })),
      );
      const again = await ask(
        sending(key, { queue_id: "2:2", local_id: "2.2", client: "two", dont_block: true }),
      );
      expect(replayed(again), again.text).to.equal("true");
      expect(again.body).to.deep.equal({
        ...first,
        ignored_parameters_unsupported: ["dont_block"],
      });
    });

    it("gets the stored id of a message that was edited, moved or deleted since", async () => {
      const key = newKey();
      const first = await ask(sending(key));
      const path = `/api/v1/messages/${String(first.body["id"])}`;
      for (const change of [
        () => client.patch(path, { content: "other" }),
        () => client.patch(path, { topic: "elsewhere" }),
        () => scene.as(scene.org.admin).delete(path),
      ]) {
        succeeded(await change());
        const again = await ask(sending(key));
        expect(replayed(again)).to.equal("true");
        expect(again.text).to.equal(first.text);
      }
    });

    it("gets the stored answer even if the first request removed the caller's permission", async () => {
      const { db, org } = scene;
      const admin = await user(db, org.realm, { role: roles.administrator });
      const demotion = {
        method: "PATCH",
        path: `/api/v1/users/${admin.id}`,
        params: { role: roles.member },
        key: newKey(),
      } as const;
      await twice(demotion, scene.as(admin));
      const field = { path: "/api/v1/realm/profile_fields", params: { name: "x", field_type: 1 } };
      const body = await refused(
        db,
        () => ask({ ...field, key: newKey() }, scene.as(admin)),
        "UNAUTHORIZED_PRINCIPAL",
      );
      expect(body.msg).to.contain("administrators");
      await refused(
        db,
        () => ask({ ...demotion, params: { role: roles.guest } }, scene.as(admin)),
        "IDEMPOTENCY_KEY_REUSED",
      );
    });

    it("is recognized when its body is streamed, in either encoding", async () => {
      const robot = scene.as(scene.org.bot);
      const key = newKey();
      const path = "/api/v1/bot_storage";
      const text = JSON.stringify({ entry: "ä".repeat(200_000) });
      const put = (body: FormData | URLSearchParams) =>
        robot.send("PUT", path, { body, headers: { "Idempotency-Key": key } });
      const multipart = new FormData();
      multipart.set("storage", text);
      expect(replayed(await put(new URLSearchParams({ storage: text })))).to.equal("false");
      expect(replayed(await put(multipart))).to.equal("true");
      multipart.set("storage", text.replace("entry", "other"));
      await refused(scene.db, () => put(multipart), "IDEMPOTENCY_KEY_REUSED", {});
      const keys = { keys: ["entry"] };
      await twice({ method: "DELETE", path, params: keys, key: newKey() }, robot);
    });

    it("runs again when the key is 24 hours old, and its new answer replaces the old one", async () => {
      const key = newKey();
      const first = await ask(sending(key));
      const age = (interval: string) =>
        scene.db.rows(
          `UPDATE idempotency_keys SET created_at = now() - $1::interval
           WHERE answer->>'id' = $2`,
          [interval, String(first.body["id"])],
        );
      await age("23 hours 59 minutes");
      expect(replayed(await ask(sending(key)))).to.equal("true");
      await age("24 hours");
      const second = await ask(sending(key));
      expect(replayed(second)).to.equal("false");
      expect(second.body["id"]).not.to.equal(first.body["id"]);
      const third = await ask(sending(key));
      expect(replayed(third)).to.equal("true");
      expect(third.text).to.equal(second.text);
      expect(await countOf(key)).to.equal(2);
    });

    it("is recognized by a key of 255 characters, and in a message of the greatest length", async () => {
      await twice(sending("x".repeat(255), { content: "ä".repeat(10_000) }));
    });
  });

  it("is refused if an earlier request with the key had other parameters", async () => {
    const key = newKey();
    const path = `/api/v1/messages/${await send(client, toChannel(room.id))}`;
    succeeded(await ask(sending(key)));
    for (const change of [{ content: "other" }, { topic: "other" }, { read_by_sender: true }]) {
      const answer = await ask(sending(key, change));
      const body = await refused(scene.db, async () => answer, "IDEMPOTENCY_KEY_REUSED", {});
      expect(body.msg).to.contain("new key");
      expect(replayed(answer)).to.equal("false");
    }
    succeeded(await ask({ method: "PATCH", path, params: { content: "edited" }, key }));
    const other = `/api/v1/messages/${await send(client, toChannel(room.id))}`;
    await refused(
      scene.db,
      () => ask({ method: "PATCH", path: other, params: { content: "edited" }, key }),
      "IDEMPOTENCY_KEY_REUSED",
      {},
    );
    expect(await countOf(key)).to.equal(1);
  });

  it("is refused if its answer has more than 100,000 bytes, and changes nothing", async () => {
    const { db, org } = scene;
    const names: string[] = [];
    for (let n = 0; n < 25; n++) {
      const { name } = await channel(db, org.realm, { name: `${n} ${"✓".repeat(50)}` });
      names.push(name);
    }
    const people = await crowd(db, org.member, 30);
    const key = newKey();
    const subscribing = (principals: number) => ({
      path: "/api/v1/users/me/subscriptions",
      params: {
        subscriptions: names.map((name) => ({ name })),
        principals: people.slice(0, principals).map(({ id }) => id),
      },
      key,
    });
    const all = subscribing(people.length);
    const body = await refused(db, () => ask(all, scene.as(org.owner)), "BAD_REQUEST", {});
    expect(body.msg).to.contain("too large to be stored");
    succeeded(await ask(subscribing(10), scene.as(org.owner)));
    const withoutKey = await scene.as(org.owner).post(all.path, all.params);
    succeeded(withoutKey);
    expect(Buffer.byteLength(withoutKey.text)).to.be.above(100_000);
  });

  it("is independent of the same key of another account or on another operation", async () => {
    const key = newKey();
    const robot = await bot(scene.db, scene.org.member);
    const first = await ask(sending(key));
    const second = await ask(sending(key), scene.as(robot));
    expect(second.body["id"]).not.to.equal(first.body["id"]);
    const scheduled = await ask({
      path: "/api/v1/scheduled_messages",
      params: channelMessage(room.id),
      key,
    });
    for (const answer of [first, second, scheduled]) {
      succeeded(answer);
      expect(replayed(answer)).to.equal("false");
    }
  });

  it("runs as new after a refusal, which is not stored", async () => {
    const key = newKey();
    const path = "/api/v1/drafts";
    const invalid = { drafts: [{ type: "stream", to: [], topic: "", content: "" }] };
    const asked = sending(key, { to: "made later" });
    for (const [refusedAsk, code] of [
      [asked, "STREAM_DOES_NOT_EXIST"],
      [{ path, params: {}, key }, "REQUEST_VARIABLE_MISSING"],
      [{ path, params: invalid, key }, "BAD_REQUEST"],
    ] as const) {
      const answer = await ask(refusedAsk);
      await refused(scene.db, async () => answer, code);
      expect(replayed(answer)).to.equal("false");
    }
    await channel(scene.db, scene.org.realm, {
      name: "made later",
      subscribers: [scene.org.member],
    });
    await twice(asked);
  });

  describe("whose header", () => {
    const rawHeaders = (name: string, values: readonly string[], path = messagesPath) =>
      new Promise<{ status: number; marker: unknown }>((resolve, reject) => {
        const { deliveryEmail, apiKey } = scene.org.member;
        const sent = request(scene.gateway.url + path, {
          method: "POST",
          auth: `${deliveryEmail}:${apiKey}`,
          headers: { [name]: [...values], "Content-Type": "application/x-www-form-urlencoded" },
        });
        sent.on("error", reject);
        sent.on("response", (response) => {
          response.resume();
          resolve({
            status: response.statusCode ?? 0,
            marker: response.headers["idempotent-replayed"],
          });
        });
        sent.end(
          new URLSearchParams({
            type: "channel",
            to: String(room.id),
            topic: "a",
            content: "raw",
          }).toString(),
        );
      });

    for (const [what, header] of [
      ["is empty", ""],
      ["has 256 characters", "x".repeat(256)],
      ["is not ASCII", "é"],
      ["has a comma", "a,b"],
      ["has a space", "a b"],
      ["has a quotation mark inside", 'a"b'],
      ["has no closing quotation mark", '"a'],
      ["has parameters", '"a";x=1'],
      ["is an empty string", '""'],
      ["is a string of 256 characters", `"${"x".repeat(256)}"`],
      ["escapes a letter", String.raw`"\a"`],
      ["ends with an escape", String.raw`"a\"`],
    ] as const)
      it(`${what} is refused, before the body is read`, async () => {
        const answer = await client.send("POST", messagesPath, {
          // Longer than the limit of bodies, which is checked later.
          body: new URLSearchParams({ content: "x".repeat(2_000_000) }),
          headers: { "Idempotency-Key": header },
        });
        await refused(scene.db, async () => answer, "BAD_REQUEST", {});
        expect(replayed(answer)).to.equal(null);
      });

    it("comes twice is refused", async () => {
      for (const values of [
        ["a1", "a1"],
        ['"a', 'b"'],
      ]) {
        const { result, tables } = await changesOf(scene.db, () =>
          rawHeaders("Idempotency-Key", values),
        );
        expect(result).to.deep.equal({ status: 400, marker: undefined });
        expect(tables).to.deep.equal([]);
      }
    });

    it("means the same key, bare or quoted", async () => {
      const key = String.raw`a\${newKey()}`;
      const first = await ask(sending(key));
      const again = await ask({
        ...sending(key),
        key: `"${key.replaceAll("\\", String.raw`\\`)}"`,
      });
      expect(replayed(again), again.text).to.equal("true");
      expect(again.text).to.equal(first.text);
      await twice({ ...sending(newKey()), key: String.raw`"two words, \"quoted\""` });
    });

    it("is malformed is ignored by operations that take none", async () => {
      const headers = { "Idempotency-Key": "a,b" };
      for (const key of ["a,b", "well-formed"]) {
        const answers = [
          await client.send("GET", "/api/v1/users/me", { headers: { "Idempotency-Key": key } }),
          await client.send("POST", "/api/v1/messages/render", {
            body: new URLSearchParams({ content: "x" }),
            headers: { "Idempotency-Key": key },
          }),
        ];
        for (const answer of answers) {
          succeeded(answer);
          expect(replayed(answer)).to.equal(null);
        }
      }
      const made = await client.send("POST", "/api/v1/bots", {
        body: new URLSearchParams({ full_name: "Ignoring", short_name: "ignoring" }),
        headers,
      });
      expect(succeeded(made)["api_key"]).to.be.a("string");
      expect(replayed(made)).to.equal(null);
    });
  });

  it("has no marker before its credentials are known", async () => {
    const impostor = scene.as({ ...scene.org.member, apiKey: "x".repeat(32) });
    for (const caller of [scene.gateway.anonymous, impostor])
      for (const key of ["a1", "malformed,"]) {
        const answer = await ask(sending(key), caller);
        refusedWith(answer, "UNAUTHORIZED");
        expect(replayed(answer)).to.equal(null);
      }
  });

  it("is never logged, stored or echoed as text", async () => {
    const key = "never-to-be-seen";
    const params = toChannel(room.id);
    const answers = [
      await ask({ ...sending(key), params }),
      await ask({ ...sending(key), params: { ...params, topic: "other" } }),
    ];
    for (const { text } of answers) expect(text).not.to.contain(key);
    expect(scene.gateway.logText()).not.to.contain(key);
    const rows = await scene.db.rows<{ text: string }>(
      "SELECT k::text AS text FROM idempotency_keys k",
    );
    for (const { text } of rows) expect(text).not.to.contain(key);
  });

  it("can be sent, and its marker read, by pages of other origins", async () => {
    const { headers } = await client.send("OPTIONS", messagesPath);
    expect(headers.get("Access-Control-Allow-Headers")).to.equal("Authorization, Idempotency-Key");
    expect(headers.get("Access-Control-Expose-Headers")?.split(", ")).to.deep.equal([
      "Idempotent-Replayed",
      "Retry-After",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
    ]);
  });
});
