import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { startGateway, type Gateway, type SendOptions } from "../test-support/sample-gateway.ts";

const boundary = "----boundary";

function multipart(...parts: Array<[name: string, value: string, extra?: string, type?: string]>): {
  body: string;
  headers: Record<string, string>;
} {
  const text = parts.map(
    ([name, value, extra = "", type]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${extra}\r\n${type ?? ""}\r\n${value}\r\n`,
  );
  return {
    body: `${text.join("")}--${boundary}--\r\n`,
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
  };
}

describe("sources of parameters", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  async function content(method: string, target: string, options?: SendOptions): Promise<unknown> {
    const { status, json } = await gateway.send(method, target, options);
    expect(status, JSON.stringify(json)).to.equal(200);
    return (json["input"] as Record<string, unknown>)["content"];
  }

  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    it(`reads the query string of ${method}`, async () => {
      expect(await content(method, "/api/v1/echo?content=a")).to.equal("a");
    });
  }

  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    it(`reads both kinds of form in the body of ${method}`, async () => {
      expect(await content(method, "/api/v1/echo", { form: "content=a" })).to.equal("a");
      expect(await content(method, "/api/v1/echo", multipart(["content", "b"]))).to.equal("b");
      const charset = { "Content-Type": "Application/X-WWW-Form-Urlencoded ; charset=UTF-8" };
      expect(
        await content(method, "/api/v1/echo", { body: "content=c", headers: charset }),
      ).to.equal("c");
    });
  }

  it("reads chunked forms", async () => {
    const { headers, body } = multipart(["content", "b".repeat(100_000)], ["topic", "c"]);
    const chunks = body.match(/[^]{1,7000}/g) ?? [];
    expect(
      await content("POST", "/api/v1/echo", {
        headers,
        body: Readable.from(chunks),
      }),
    ).to.equal("b".repeat(100_000));
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    expect(
      await content("POST", "/api/v1/echo", {
        headers: type,
        body: Readable.from(["cont", "ent=", "x"]),
      }),
    ).to.equal("x");
  });

  it("reads a compressed form, with any spelling of the encoding", async () => {
    const gzip = gzipSync("content=zipped");
    const bodies = {
      gzip,
      "x-gzip": gzip,
      GZip: gzip,
      deflate: deflateSync("content=zipped"),
      br: brotliCompressSync("content=zipped"),
      identity: "content=zipped",
    };
    for (const [encoding, body] of Object.entries(bodies)) {
      const headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Encoding": encoding,
      };
      expect(await content("POST", "/api/v1/echo", { body, headers }), encoding).to.equal("zipped");
    }
  });

  it("ignores the body of GET", async () => {
    expect(await content("GET", "/api/v1/echo", { form: "content=a" })).to.equal(undefined);
  });

  it("does not read bodies of other types", async () => {
    for (const type of ["application/json", "text/plain", "application/xml"]) {
      const { status, json } = await gateway.send("POST", "/api/v1/echo", {
        body: '{"content":"a"}',
        headers: { "Content-Type": type },
      });
      expect(status).to.equal(400);
      expect(json).to.deep.include({ code: "REQUEST_VARIABLE_MISSING", var_name: "content" });
    }
    const untyped = await gateway.send("POST", "/api/v1/echo", { body: "content=a" });
    expect(untyped.json["code"]).to.equal("REQUEST_VARIABLE_MISSING");
  });

  it("prefers the body over the query, and the last of several equal names", async () => {
    expect(await content("POST", "/api/v1/echo?content=query", { form: "content=body" })).to.equal(
      "body",
    );
    expect(await content("POST", "/api/v1/echo?content=1&content=2")).to.equal("2");
    expect(await content("POST", "/api/v1/echo", { form: "content=1&content=2" })).to.equal("2");
    expect(
      await content("POST", "/api/v1/echo", multipart(["content", "1"], ["content", "2"])),
    ).to.equal("2");
  });

  it("decodes forms by the URL standard", async () => {
    for (const [sent, text] of [
      ["a+b", "a b"],
      ["a%2Bb%20c", "a+b c"],
      ["%2525", "%25"],
      ["%zz%", "%zz%"],
      ["%ff%E2%9C%93", "\ufffd✓"],
      ["%ed%a0%80", "\ufffd\ufffd\ufffd"],
      ["a=b=c", "a=b=c"],
      ["", ""],
      ["%22quoted%22", '"quoted"'],
      ["%0D%0A", "\r\n"],
    ] as const) {
      expect(await content("POST", "/api/v1/echo", { form: `content=${sent}` }), sent).to.equal(
        text,
      );
    }
    expect(await content("POST", "/api/v1/echo", { form: "content" })).to.equal("");
    expect(
      await content("POST", "/api/v1/echo", {
        body: Buffer.from("content=✓ü"),
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
      }),
    ).to.equal("✓ü");
  });

  it("takes names literally: no nesting, case-sensitive, safe against prototype names", async () => {
    const form = "content=x&Content=y&a[b]=1&a.b=2&__proto__=3&constructor=4";
    const { json } = await gateway.send("POST", "/api/v1/echo", { form });
    expect(json["ignored_parameters_unsupported"]).to.deep.equal([
      "Content",
      "__proto__",
      "a.b",
      "a[b]",
      "constructor",
    ]);
  });

  it("drops empty names", async () => {
    const { json } = await gateway.send("POST", "/api/v1/echo?=1&", { form: "content=x&=2&&" });
    expect(json).to.not.have.property("ignored_parameters_unsupported");
  });

  it("takes text parts with a content type or an encoding as text", async () => {
    const typed = multipart([
      "content",
      "✓ text",
      "",
      "Content-Type: text/plain; charset=utf-8\r\n",
    ]);
    expect(await content("POST", "/api/v1/echo", typed)).to.equal("✓ text");
    const encoded = multipart(["content", "plain", "", "Content-Transfer-Encoding: 7bit\r\n"]);
    expect(await content("POST", "/api/v1/echo", encoded)).to.equal("plain");
    expect(await content("POST", "/api/v1/echo", multipart(["content", ""]))).to.equal("");
  });

  it("reports file parts, even under the name of a parameter", async () => {
    const file = "Content-Type: image/png\r\n";
    const { json } = await gateway.send(
      "POST",
      "/api/v1/echo",
      multipart(
        ["content", "x"],
        ["file", "bytes", '; filename="a.png"', file],
        ["topic", "bytes", '; filename=""', file],
      ),
    );
    expect(json["ignored_parameters_unsupported"]).to.deep.equal(["file", "topic"]);
    expect(json["input"]).to.not.have.property("topic");
  });

  it("refuses more than 1,000 parameters, from all sources together", async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=1`).join("&");
    expect(
      (
        await gateway.send("POST", `/api/v1/echo?${fields(400)}`, {
          form: `content=x&${fields(599)}`,
        })
      ).status,
    ).to.equal(200);
    for (const answer of [
      await gateway.send("POST", "/api/v1/echo", { form: `content=x&${fields(1000)}` }),
      await gateway.send("GET", `/api/v1/echo?${fields(1001)}`),
      await gateway.send("POST", `/api/v1/echo?${fields(500)}`, {
        form: `content=x&${fields(500)}`,
      }),
      await gateway.send(
        "POST",
        "/api/v1/echo",
        multipart(...Array.from({ length: 1001 }, () => ["content", "x"] as [string, string])),
      ),
    ]) {
      expect(answer.status).to.equal(400);
      expect(answer.json["code"]).to.equal("BAD_REQUEST");
    }
  });

  it("refuses bodies that cannot be decoded", async () => {
    const form = "application/x-www-form-urlencoded";
    const broken: SendOptions[] = [
      { body: "content=a", headers: { "Content-Type": form, "Content-Encoding": "gzip" } },
      {
        body: gzipSync("content=a").subarray(0, 15),
        headers: { "Content-Type": form, "Content-Encoding": "gzip" },
      },
      { body: "content=a", headers: { "Content-Type": form, "Content-Encoding": "lzma" } },
      { body: "content=a", headers: { "Content-Type": "multipart/form-data" } },
      {
        body: "content=a",
        headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
      },
      {
        ...multipart(["content", "x"]),
        body: multipart(["content", "x"]).body.slice(0, 70),
      },
    ];
    for (const [index, options] of broken.entries()) {
      const { status, json } = await gateway.send("POST", "/api/v1/echo", options);
      expect(status, String(index)).to.equal(400);
      expect(json["code"], String(index)).to.equal("BAD_REQUEST");
    }
    expect(
      (await gateway.send("POST", "/api/v1/echo", { form: "content=still+there" })).status,
    ).to.equal(200);
  });

  it("answers 4xx to hostile values, never 5xx", async () => {
    const nested = "[".repeat(100_000);
    for (const form of [
      "content=a%00b",
      "content=x&topic=%00",
      `content=x&ids=${nested}`,
      `content=x&ids=${nested}${"]".repeat(100_000)}`,
      "content=x&ids=%5B%22%5Cud800%22%5D",
      `content=x&limit=${"9".repeat(1_000)}`,
      "content=x&limit=1e400",
      "content=x&limit=",
    ]) {
      const { status, json } = await gateway.send("POST", "/api/v1/echo", { form });
      expect(status, form.slice(0, 40)).to.equal(400);
      expect(json["code"], form.slice(0, 40)).to.equal("BAD_REQUEST");
    }
  });
});

describe("sizes", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const mebibyte = 1024 * 1024;

  it("accepts forms of up to 2 MiB if a parameter is JSON, and parameters of up to 1 MiB", async () => {
    const value = "x".repeat(mebibyte);
    const rest = 2 * mebibyte - `content=${value}&other=`.length;
    const { status, json } = await gateway.send("POST", "/api/v1/echo", {
      form: `content=${value}&other=${"x".repeat(rest)}`,
    });
    expect(status).to.equal(200);
    expect((json["input"] as { content: string }).content).to.have.length(value.length);
    const longer = await gateway.send("POST", "/api/v1/echo", { form: `content=${value}x` });
    expect(longer.status).to.equal(400);
    expect(longer.json["msg"]).to.equal("content must not be longer than 1048576 characters");
  });

  it("accepts forms of up to 1 MiB if no parameter is JSON", async () => {
    for (const [more, status] of [
      [0, 200],
      [1, 413],
    ] as const) {
      const form = `content=${"x".repeat(mebibyte - "content=".length + more)}`;
      expect((await gateway.send("POST", "/api/v1/gates/human", { form })).status).to.equal(status);
    }
  });

  it("refuses a name that is too long, without repeating it in the answer", async () => {
    const name = "n".repeat(1_001);
    for (const sent of [{ form: `content=x&${name}=1` }, multipart([name, "1"])]) {
      const { status, json } = await gateway.send("POST", "/api/v1/echo", sent);
      expect(status).to.equal(400);
      expect(json["code"]).to.equal("BAD_REQUEST");
    }
  });

  it("answers 413 above the limit, for announced, chunked and compressed bodies", async () => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const big = `content=${"x".repeat(2 * mebibyte)}`;
    const inParts = multipart(["content", "x".repeat(2 * mebibyte)]);
    const inFile = multipart(
      ["content", "x"],
      ["file", "x".repeat(2 * mebibyte), '; filename="a"'],
    );
    const chunked = (text: string) => Readable.from(text.match(/[^]{1,65536}/g) ?? []);
    for (const [name, options] of Object.entries<SendOptions>({
      announced: { form: big },
      chunked: { headers: form, body: chunked(big) },
      zipped: { headers: { ...form, "Content-Encoding": "gzip" }, body: gzipSync(big) },
      parts: inParts,
      "chunked parts": { headers: inParts.headers, body: chunked(inParts.body) },
      "a chunked file": { headers: inFile.headers, body: chunked(inFile.body) },
    })) {
      const { status, json } = await gateway.send("POST", "/api/v1/echo", options);
      expect(status, name).to.equal(413);
      expect(json["code"], name).to.equal("REQUEST_TOO_LARGE");
    }
  });

  it("honours an operation's own limit", async () => {
    expect(
      (await gateway.send("POST", "/api/v1/small", { form: `content=${"x".repeat(992)}` })).status,
    ).to.equal(200);
    expect(
      (await gateway.send("POST", "/api/v1/small", { form: `content=${"x".repeat(993)}` })).status,
    ).to.equal(413);
  });

  it("accepts query strings of 128 KiB", async () => {
    const ids = encodeURIComponent(
      JSON.stringify(Array.from({ length: 10_000 }, (_, i) => 1_000_000 + i)),
    );
    expect(ids.length).to.be.greaterThan(100_000);
    expect((await gateway.send("POST", `/api/v1/echo?content=x&ids=${ids}`)).status).to.equal(200);
    expect(
      (await gateway.send("GET", `/api/v1/echo?content=${"x".repeat(130 * 1024)}`)).status,
    ).to.equal(200);
  });
});
