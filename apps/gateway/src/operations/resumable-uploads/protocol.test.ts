import {
  refusedByTus,
  refusedWith,
  upload,
  useBlocker,
  user,
  useGateway,
  useScene,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

const bytesType = "application/offset+octet-stream";
const mebibyte = 1024 * 1024;

describe("Resumable uploads", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  const version = { "Tus-Resumable": "1.0.0" };
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const metadata = (filename: string, filetype?: string) => ({
    "Upload-Metadata": `filename ${base64(filename)}${filetype === undefined ? "" : `,filetype ${base64(filetype)}`}`,
  });

  /** Sends a request of tus. The path is below `/api/v1/tus`. */
  const tus = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer,
    by: TestAccount = scene.org.member,
  ) =>
    scene.as(by).send(method, `/api/v1/tus${path}`, {
      headers: { ...version, ...headers },
      ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
    });
  const patch = (id: string, offset: number, body: string | Buffer, headers = {}) =>
    tus("PATCH", id, { "Content-Type": bytesType, "Upload-Offset": `${offset}`, ...headers }, body);
  /** Begins an upload and returns its path below `/api/v1/tus`. */
  const begin = async (size: number, filename = "a.txt", filetype?: string) => {
    const answer = await tus("POST", "", {
      "Upload-Length": `${size}`,
      ...metadata(filename, filetype),
    });
    expect(answer.status, answer.text).to.equal(201);
    return (answer.headers.get("Location") ?? "").split("/api/v1/tus").at(-1) ?? "";
  };
  const offsetOf = async (id: string) => {
    const { status, headers } = await tus("HEAD", id);
    expect(status).to.equal(200);
    return Number(headers.get("Upload-Offset"));
  };
  const attachments = async () =>
    scene.db.prisma.attachment.findMany({
      where: { realmId: scene.org.realm.id },
      orderBy: { id: "asc" },
    });
  const contentOf = async (url: string) => {
    const { status, text } = await scene.as(scene.org.member).send("GET", url);
    expect(status).to.equal(200);
    return text;
  };

  it("announce version, extensions and size limit without credentials", async () => {
    for (const path of ["", "/", "/some-id"]) {
      const answer = await fetch(`${scene.gateway.url}/api/v1/tus${path}`, { method: "OPTIONS" });
      expect(answer.status).to.equal(204);
      expect(Object.fromEntries(answer.headers)).to.include({
        "tus-resumable": "1.0.0",
        "tus-version": "1.0.0",
        "tus-extension": "creation,creation-with-upload,termination,expiration",
        "tus-max-size": `${100 * mebibyte}`,
      });
    }
  });

  it("store a file in pieces, and answer the last piece with the URL of the file", async () => {
    const id = await begin(11, "Notes of 2026.txt", "text/plain");
    const first = await patch(id, 0, "hello ");
    expect([first.status, first.headers.get("Upload-Offset")]).to.deep.equal([204, "6"]);
    expect(new Date(first.headers.get("Upload-Expires") ?? "").getTime()).to.be.greaterThan(0);
    expect(await offsetOf(id)).to.equal(6);
    const last = await patch(id, 6, "world");
    expect([last.status, last.headers.get("Upload-Offset")]).to.deep.equal([200, "11"]);
    expect(last.body["filename"]).to.equal("Notes of 2026.txt");
    expect(await contentOf(String(last.body["url"]))).to.equal("hello world");
    expect((await attachments()).at(-1)).to.include({
      name: "Notes of 2026.txt",
      contentType: "text/plain; charset=utf-8",
      size: 11n,
    });
  });

  it("answer a repeated last piece like the first one, and store one file", async () => {
    const id = await begin(5);
    const { body } = await patch(id, 0, "hello");
    const before = await attachments();
    expect(await offsetOf(id)).to.equal(5);
    const again = await patch(id, 5, "");
    expect([again.status, again.body]).to.deep.equal([200, body]);
    refusedByTus(await patch(id, 0, "hello"), 409);
    refusedByTus(await patch(id, 5, "more"), 413);
    expect(await attachments()).to.deep.equal(before);
  });

  it("store a file that begins with its creation, and an empty one", async () => {
    for (const content of ["hello", ""]) {
      const answer = await tus(
        "POST",
        "/",
        {
          "Upload-Length": `${content.length}`,
          "Content-Type": bytesType,
          ...metadata("whole.txt"),
        },
        content,
      );
      expect(answer.status, answer.text).to.equal(201);
      expect(answer.headers.get("Location")).to.match(
        /^http:\/\/carillon\.test\/api\/v1\/tus\/[\w-]{24}$/,
      );
      expect(await contentOf(String(answer.body["url"]))).to.equal(content);
    }
    const part = await tus("POST", "", { "Upload-Length": "5", "Content-Type": bytesType }, "hel");
    expect([part.status, part.headers.get("Upload-Offset")]).to.deep.equal([201, "3"]);
    const id = new URL(part.headers.get("Location") ?? "").pathname.slice("/api/v1/tus".length);
    expect((await patch(id, 3, "lo")).body["filename"]).to.equal("uploaded-file");
  });

  it("keep size, offset and metadata", async () => {
    const id = await begin(1_000, "ä.txt", "text/css");
    const { headers } = await tus("HEAD", id);
    expect(Object.fromEntries(headers)).to.include({
      "upload-length": "1000",
      "upload-offset": "0",
      "upload-metadata": metadata("ä.txt", "text/css")["Upload-Metadata"],
      "cache-control": "no-store",
      "tus-resumable": "1.0.0",
    });
  });

  it("accept another method in X-HTTP-Method-Override", async () => {
    const id = await begin(5);
    const as = (method: string) => ({ "X-HTTP-Method-Override": method });
    const bytes = { "Content-Type": bytesType, "Upload-Offset": "0" };
    expect((await tus("POST", id, { ...bytes, ...as("PATCH") }, "hello")).status).to.equal(200);
    expect((await tus("POST", id, as("DELETE"))).status).to.equal(204);
    refusedByTus(await tus("HEAD", id), 404);
    refusedByTus(await tus("POST", id, as("PUT")), 405);
  });

  it("end with DELETE, and are unknown afterwards", async () => {
    const id = await begin(200_000);
    await patch(id, 0, "x".repeat(100_000));
    expect((await tus("DELETE", id)).status).to.equal(204);
    for (const answer of [await tus("HEAD", id), await tus("DELETE", id), await patch(id, 0, "x")])
      refusedByTus(answer, 404);
    const parts = await scene.db.prisma.resumablePart.count({ where: { uploadId: id.slice(1) } });
    expect(parts).to.equal(0);
  });

  it("are refused with the status codes of tus", async () => {
    const id = await begin(5);
    const create = (headers: Record<string, string>) => tus("POST", "", headers);
    const of = (headers: Record<string, string>) => tus("PATCH", id, headers, "hello");
    const size = { "Upload-Length": "5" };
    const bytes = { "Content-Type": bytesType, "Upload-Offset": "0" };
    const cases: Array<[what: string, answer: ReturnType<typeof tus>, status: number]> = [
      ["other version", create({ ...size, "Tus-Resumable": "0.2.2" }), 412],
      ["no length", create({}), 400],
      ["deferred length", create({ "Upload-Defer-Length": "1" }), 411],
      ["bad length", create({ "Upload-Length": "-1" }), 400],
      ["bad metadata", create({ ...size, "Upload-Metadata": "filename !!" }), 400],
      ["long metadata", create({ ...size, ...metadata("x".repeat(8_000)) }), 400],
      ["too large", create({ "Upload-Length": `${100 * mebibyte + 1}` }), 413],
      ["concatenation", create({ ...size, "Upload-Concat": "partial" }), 501],
      ["wrong offset", of({ ...bytes, "Upload-Offset": "1" }), 409],
      ["no offset", of({ "Content-Type": bytesType }), 400],
      ["bad offset", of({ ...bytes, "Upload-Offset": "x" }), 400],
      ["wrong type", of({ ...bytes, "Content-Type": "text/plain" }), 415],
      ["compressed", of({ ...bytes, "Content-Encoding": "gzip" }), 415],
      ["too many bytes", patch(id, 0, "hello!"), 413],
      ["unknown", patch("/AAAAAAAAAAAAAAAAAAAAAAAA", 0, "x"), 404],
      ["strange id", patch("/..%2F..%00", 0, "x"), 404],
      ["GET", tus("GET", id), 405],
    ];
    for (const [what, answer, status] of cases) {
      refusedByTus(await answer, status, what);
      if (status === 412) expect((await answer).headers.get("Tus-Version")).to.equal("1.0.0");
    }
    expect(await offsetOf(id)).to.equal(0);
    const none = await scene.gateway.anonymous.send("PATCH", `/api/v1/tus${id}`, {
      headers: { ...version, ...bytes },
      body: "hello",
    });
    refusedWith(none, "UNAUTHORIZED");
  });

  it("take bodies of unknown length, up to the length of the file", async () => {
    const chunked = (text: string, times: number) =>
      new ReadableStream({
        start(controller) {
          for (let n = 0; n < times; n++) controller.enqueue(Buffer.from(text));
          controller.close();
        },
      });
    const send = (id: string, body: ReadableStream) =>
      scene.as(scene.org.member).send("PATCH", `/api/v1/tus${id}`, {
        headers: { ...version, "Content-Type": bytesType, "Upload-Offset": "0" },
        body,
        duplex: "half",
      } as RequestInit);
    const [short, long] = [await begin(1_000), await begin(100_000)];
    refusedByTus(await send(short, chunked("a", 1_001)), 413);
    refusedByTus(await send(long, chunked("a".repeat(1_000), 101)), 413);
    expect([await offsetOf(short), await offsetOf(long)]).to.deep.equal([0, 0]);
    const { body } = await send(short, chunked("a", 1_000));
    expect(await contentOf(String(body["url"]))).to.equal("a".repeat(1_000));
    expect((await send(long, chunked("b".repeat(1_000), 99))).status).to.equal(204);
    expect(await offsetOf(long)).to.equal(99_000);
  });

  it("belong to one account", async () => {
    const id = await begin(5);
    const other = await user(scene.db, scene.org.realm);
    const bytes = { "Content-Type": bytesType, "Upload-Offset": "0" };
    for (const answer of [
      await tus("HEAD", id, {}, undefined, other),
      await tus("PATCH", id, bytes, "hello", other),
      await tus("DELETE", id, {}, undefined, other),
    ])
      refusedByTus(answer, 404);
    expect(await offsetOf(id)).to.equal(0);
  });

  it("store many small pieces in few objects", async () => {
    const content = Buffer.from(Array.from({ length: 150_000 }, (_, i) => i % 251));
    const id = await begin(content.length, "pieces.bin");
    const objects = () => scene.db.prisma.storedObject.count();
    const before = await objects();
    const piece = 5_000;
    let last: Awaited<ReturnType<typeof patch>> | undefined;
    for (let at = 0; at < content.length; at += piece)
      last = await patch(id, at, content.subarray(at, at + piece));
    expect(last?.status, last?.text).to.equal(200);
    // Two parts and the file.
    expect((await objects()) - before).to.be.at.most(3);
    const answer = await fetch(scene.gateway.url + String(last?.body["url"]), {
      headers: {
        Authorization: `Basic ${base64(`${scene.org.member.deliveryEmail}:${scene.org.member.apiKey}`)}`,
      },
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).to.equal(true);
  });

  it("join many parts before they add one", async () => {
    const id = await begin(300_000, "parts.txt");
    await patch(id, 0, "a".repeat(100_000));
    const { pathId } = await upload(scene.as(scene.org.member), "empty.txt", "");
    await scene.db.rows(
      `INSERT INTO resumable_parts (upload_id, start, size, object_key)
       SELECT $1, 100000 + n, 0, a.object_key FROM generate_series(1, 255) n, attachments a WHERE a.path_id = $2`,
      [id.slice(1), pathId],
    );
    const parts = () =>
      scene.db.prisma.resumablePart.findMany({
        where: { uploadId: id.slice(1) },
        orderBy: { start: "asc" },
      });
    expect(await parts()).to.have.length(256);
    await patch(id, 100_000, "b".repeat(100_000));
    expect((await parts()).map(({ start, size }) => [start, size])).to.deep.equal([
      [0n, 100_000n],
      [100_000n, 100_000n],
    ]);
    const { body } = await patch(id, 200_000, "c".repeat(100_000));
    expect(await contentOf(String(body["url"]))).to.equal(
      "a".repeat(100_000) + "b".repeat(100_000) + "c".repeat(100_000),
    );
  });

  it("expire after 24 hours", async () => {
    const { headers } = await tus("POST", "", { "Upload-Length": "5" });
    const id = new URL(headers.get("Location") ?? "").pathname.slice("/api/v1/tus".length);
    const { createdAt } = await scene.db.prisma.resumableUpload.findUniqueOrThrow({
      where: { id: id.slice(1) },
    });
    const expires = new Date(createdAt.getTime() + 24 * 3_600_000).toUTCString();
    expect(headers.get("Upload-Expires")).to.equal(expires);
    await scene.db.rows(
      "UPDATE resumable_uploads SET created_at = created_at - interval '24 hours' WHERE id = $1",
      [id.slice(1)],
    );
    refusedByTus(await tus("HEAD", id), 404);
    refusedByTus(await patch(id, 0, "hello"), 404);
  });

  it("are limited to 100 unfinished ones of an account", async () => {
    const own = await user(scene.db, scene.org.realm);
    await scene.db.rows(
      `INSERT INTO resumable_uploads (id, realm_id, owner_id, size, metadata)
       SELECT 'many-' || n, $1, $2, 1, '' FROM generate_series(1, 100) n`,
      [scene.org.realm.id, own.id],
    );
    const create = () => tus("POST", "", { "Upload-Length": "1" }, undefined, own);
    refusedByTus(await create(), 429);
    await scene.db.rows("DELETE FROM resumable_uploads WHERE id = 'many-1'");
    // A row that refers to the account waits for this lock too.
    await blocker.lock("SELECT FROM users WHERE id = $1 FOR UPDATE", [own.id]);
    const both = [create(), create()];
    await blocker.untilWaiting(2, "both wait for the account");
    await blocker.release();
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).to.deep.equal([201, 429]);
  });
});

describe("The quota for resumable uploads", () => {
  const scene = useScene();
  const gateway = useGateway(scene.db, {
    site: { uploads: { maxFileSize: mebibyte, quota: mebibyte } },
  });
  const tus = (method: string, path: string, headers: Record<string, string>, bytes = 0) =>
    gateway.as(scene.org.member).send(method, path, {
      headers: { "Tus-Resumable": "1.0.0", ...headers },
      ...(bytes === 0 ? {} : { body: new Uint8Array(bytes) }),
    });

  it("is checked when they begin and when they end", async () => {
    const create = (bytes: number) => tus("POST", "/api/v1/tus", { "Upload-Length": `${bytes}` });
    const { status, headers } = await create(mebibyte);
    expect(status).to.equal(201);
    await upload(gateway.as(scene.org.member), "other.txt", "x");
    refusedByTus(await create(mebibyte), 413);
    const path = new URL(headers.get("Location") ?? "").pathname;
    const bytes = { "Content-Type": bytesType, "Upload-Offset": "0" };
    refusedByTus(await tus("PATCH", path, bytes, mebibyte), 413);
    const { headers: state } = await tus("HEAD", path, {});
    expect(state.get("Upload-Offset")).to.equal("0");
    const unused = await scene.db.prisma.storedObject.count({
      where: { deleteAfter: { not: null } },
    });
    expect(unused).to.equal(0);
  });
});
