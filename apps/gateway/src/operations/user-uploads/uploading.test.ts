import { uploadFile } from "@carillon/contract";
import {
  kindsOf,
  refused,
  refusedWith,
  upload,
  user,
  useGateway,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const mebibyte = 1024 * 1024;

describe("Uploads", () => {
  const scene = useScene();
  const client = () => scene.as(scene.org.member);
  const stored = async (pathId: string) => {
    const row = await scene.db.prisma.attachment.findUniqueOrThrow({ where: { pathId } });
    return row;
  };

  /** Sends a multipart body unchanged. */
  const sendRaw = (body: string | Buffer, headers: Record<string, string> = {}) =>
    client().send("POST", "/api/v1/user_uploads", {
      body: typeof body === "string" ? Buffer.from(body) : new Uint8Array(body),
      headers: { "Content-Type": "multipart/form-data; boundary=cut", ...headers },
    });
  const part = (head: string, content: string) => `--cut\r\n${head}\r\n\r\n${content}\r\n`;
  const filePart = (filename: string, content = "content", type?: string) =>
    part(
      `Content-Disposition: form-data; name="file"; ${filename}${type === undefined ? "" : `\r\nContent-Type: ${type}`}`,
      content,
    );

  it("answer the address under the organization, and store name, type, size and hash", async () => {
    const { url, pathId, filename } = await upload(client(), "Notes of 2026.txt", "Grüße");
    expect(filename).to.equal("Notes of 2026.txt");
    expect(url).to.match(
      new RegExp(`^/user_uploads/${scene.org.realm.id}/[0-9a-f]{2}/[\\w-]{24}/Notes-of-2026.txt$`),
    );
    const row = await stored(pathId);
    expect(row).to.deep.include({
      name: "Notes of 2026.txt",
      ownerId: scene.org.member.id,
      size: 7n,
      contentType: "text/plain; charset=utf-8",
    });
  });

  it("accept any part name and none, any account, and an empty file", async () => {
    const guest = await user(scene.db, scene.org.realm, { role: 600 });
    for (const by of [scene.org.bot, guest]) {
      const { pathId } = await upload(scene.as(by), "empty", "");
      expect((await stored(pathId)).size).to.equal(0n);
    }
    const body = `${part(`Content-Disposition: form-data; name="f"; filename=a.txt`, "a")}--cut--`;
    expect((await sendRaw(body)).body).to.deep.include({ result: "success", filename: "a.txt" });
    const unnamed = `${part(`Content-Disposition: form-data; filename="b.txt"`, "b")}--cut--`;
    const answer = await sendRaw(unnamed);
    expect(answer.body).to.deep.include({ result: "success", filename: "b.txt" });
    expect(answer.body).to.not.have.property("ignored_parameters_unsupported");
  });

  it("report text parts and parameters of the query as ignored", async () => {
    const body = `${part(`Content-Disposition: form-data; name="topic"`, "x")}${filePart(`filename="a"`)}--cut--`;
    const answer = await client().send("POST", "/api/v1/user_uploads?channel=1", {
      body: Buffer.from(body),
      headers: { "Content-Type": "multipart/form-data; boundary=cut" },
    });
    expect(answer.body).to.deep.include({ result: "success" });
    expect(answer.body.ignored_parameters_unsupported).to.have.members(["channel", "topic"]);
  });

  it("decode names once and keep what follows the last slash", async () => {
    const long = "ä".repeat(300);
    const cases: Array<[given: string, name: string, safe: string]> = [
      [`filename="a%20b.txt"`, "a b.txt", "a-b.txt"],
      [`filename="100%.txt"`, "100%.txt", "100.txt"],
      [`filename="%2525"`, "%25", "25"],
      [`filename="../../etc/passwd"`, "passwd", "passwd"],
      [`filename="C:\\\\temp\\\\x.log"`, "x.log", "x.log"],
      [`filename=".."`, "uploaded-file", "uploaded-file"],
      [`filename="a/"`, "uploaded-file", "uploaded-file"],
      [`filename="?!"`, "?!", "uploaded-file"],
      [`filename="a\\"b.txt"`, `a"b.txt`, "ab.txt"],
      [`filename="C:\\temp\\"`, "uploaded-file", "uploaded-file"],
      [`filename="a.txt\\"; size=1`, "uploaded-file", "uploaded-file"],
      [`filename*=UTF-8''; filename="good.txt"`, "good.txt", "good.txt"],
      [`filename="a%00b.txt"`, "ab.txt", "ab.txt"],
      [`filename="a%0D%0Ab.txt"`, "a\r\nb.txt", "a-b.txt"],
      [`filename="x"; filename*=UTF-8''%E2%82%AC%20rates.txt`, "€ rates.txt", "rates.txt"],
      [`filename*=iso-8859-1'en'%A3.txt`, "£.txt", ".txt"],
      [`filename="ﬁle — x.txt"`, "ﬁle — x.txt", "file-x.txt"],
      [`filename="${long}.png"`, `${long}.png`, `${"ä".repeat(125)}.png`],
      [`filename="${"x".repeat(400)}"`, "x".repeat(400), "x".repeat(255)],
      [`filename="a\u2028b\u2029.txt"`, "a\u2028b\u2029.txt", "a-b-.txt"],
    ];
    for (const [given, name, safe] of cases) {
      const { body } = await sendRaw(`${filePart(given)}--cut--`);
      expect(body["filename"], given).to.equal(name);
      expect(String(body["url"]).split("/").at(-1), given).to.equal(safe);
    }
  });

  it("take the content type of the part, else that of the extension", async () => {
    const cases: Array<[name: string, type: string | undefined, content: string, stored: string]> =
      [
        ["a.png", "IMAGE/PNG", "x", "image/png"],
        ["a.png", undefined, "x", "image/png"],
        ["a.png", "not a type", "x", "image/png"],
        ["a.unknown", undefined, "x", "application/octet-stream"],
        ["a.txt", "text/plain; charset=ISO-8859-1", "x", "text/plain; charset=iso-8859-1"],
        ["a.txt", "text/plain", "ä", "text/plain; charset=utf-8"],
        ["a.bin", `a/${"b".repeat(199)}`, "x", "application/octet-stream"],
        ["a.txt", `text/plain;${"x".repeat(189)}`, "x", `text/plain;${"x".repeat(189)}`],
      ];
    for (const [name, type, content, expected] of cases) {
      const { body } = await sendRaw(`${filePart(`filename="${name}"`, content, type)}--cut--`);
      const { contentType } = await stored(String(body["url"]).slice("/user_uploads/".length));
      expect(contentType, `${name} ${type}`).to.equal(expected);
    }
    const latin = Buffer.concat([
      Buffer.from(`--cut\r\nContent-Disposition: form-data; name="f"; filename="l.txt"\r\n\r\n`),
      Buffer.from([0xe4, 0x20, 0xe4]),
      Buffer.from("\r\n--cut--"),
    ]);
    const { body } = await sendRaw(latin);
    expect((await stored(String(body["url"]).slice(14))).contentType).to.equal("text/plain");
  });

  it("accept folded lines in the head of a part", async () => {
    const head = `Content-Disposition: form-data; name="f";\r\n\tfilename="a b.md"\r\nContent-Type:\r\n text/markdown`;
    const { body } = await sendRaw(`${part(head, "x")}--cut--`);
    expect(body["filename"]).to.equal("a b.md");
    const { contentType } = await stored(String(body["url"]).slice(14));
    expect(contentType).to.equal("text/markdown");
  });

  it("refuse a body without exactly one complete file", async () => {
    const bad: Array<[why: string, body: string, headers?: Record<string, string>]> = [
      ["no multipart", "file=x", { "Content-Type": "application/x-www-form-urlencoded" }],
      ["no boundary", filePart(`filename="a"`), { "Content-Type": "multipart/form-data" }],
      ["no file part", `${part(`Content-Disposition: form-data; name="a"`, "x")}--cut--`],
      ["empty filename", `${filePart(`filename=""`)}--cut--`],
      ["two file parts", `${filePart(`filename="a"`)}${filePart(`filename="b"`)}--cut--`],
      [
        "cut off in the file",
        `--cut\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nabc`,
      ],
      ["no last boundary", filePart(`filename="a"`)],
      ["a head of 17 KiB", `${filePart(`filename="${"a".repeat(17 * 1024)}"`)}--cut--`],
      [
        "1,001 parts",
        `${part(`Content-Disposition: form-data; name="a"`, "x").repeat(1_000)}${filePart(`filename="a"`)}--cut--`,
      ],
    ];
    for (const [why, body, headers] of bad) {
      const { msg } = await refused(scene.db, () => sendRaw(body, headers), "BAD_REQUEST", {});
      expect(msg, why).to.match(/multipart|file|parameters/);
    }
  });

  it("need credentials, before their body is read", async () => {
    const answer = await scene.gateway.anonymous.call(uploadFile, {
      files: { "a.txt": new Blob(["x".repeat(3 * mebibyte)]) },
    });
    refusedWith(answer, "UNAUTHORIZED");
  });

  it("send an event to the uploader only", async () => {
    const { member, owner } = scene.org;
    const queues = { member: { account: member }, owner: { account: owner } };
    const events = await watch(scene.gateway, queues, () => upload(client(), "event.txt", "12345"));
    expect(events.owner).to.deep.equal([]);
    expect(kindsOf(events.member)).to.deep.equal(["attachment/add"]);
    expect(events.member[0]).to.deep.nested.include({
      "attachment.name": "event.txt",
      "attachment.size": 5,
      "attachment.message_ids": [],
    });
  });
});

describe("Limits of uploads", () => {
  const scene = useScene();
  const uploads = { maxFileSize: mebibyte, quota: 2 * mebibyte };
  const gateway = useGateway(scene.db, { site: { uploads } });
  const second = useGateway(scene.db, { site: { uploads } });
  const send = (bytes: number, by = gateway) =>
    by.as(scene.org.member).call(uploadFile, {
      files: { "a.bin": new Blob([new Uint8Array(bytes)]) },
    });

  it("accept a file of exactly the limit and refuse one byte more", async () => {
    expect((await send(mebibyte)).status).to.equal(200);
    await refused(scene.db, () => send(mebibyte + 1), "REQUEST_TOO_LARGE", {});
  });

  it("refuse a Content-Length of more than the limit and 1 MiB", async () => {
    await refused(scene.db, () => send(2 * mebibyte + 100), "REQUEST_TOO_LARGE", {});
  });

  it("let only one of several concurrent uploads fill the quota, whichever gateways get them, and free it when a file is deleted", async () => {
    const answers = await Promise.all(
      [gateway, gateway, second, second].map((by) => send(mebibyte, by)),
    );
    const late = answers.filter(({ body }) => body.result === "error");
    expect(late).to.have.length(3);
    for (const answer of late) refusedWith(answer, "REALM_UPLOAD_QUOTA");
    await refused(scene.db, () => send(1), "REALM_UPLOAD_QUOTA", {});
    const { body } = await gateway.as(scene.org.member).get("/api/v1/attachments");
    expect(body["upload_space_used"]).to.equal(2 * mebibyte);
    const [first = { id: 0 }] = body["attachments"] as Array<{ id: number }>;
    await gateway.as(scene.org.member).delete(`/api/v1/attachments/${first.id}`);
    expect((await send(mebibyte)).status).to.equal(200);
  });

  it("are in the snapshot", async () => {
    const { body } = await gateway.as(scene.org.member).post("/api/v1/register", {
      fetch_event_types: ["realm"],
    });
    expect(body).to.deep.include({ max_file_upload_size_mib: 1, realm_upload_quota_mib: 2 });
  });
});
