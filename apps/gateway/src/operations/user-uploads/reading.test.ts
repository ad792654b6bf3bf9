import { Readable } from "node:stream";
import { getTemporaryUrl } from "@carillon/contract";
import { temporaryUrl } from "@carillon/domain";
import type { FileStore } from "@carillon/files";
import {
  authorization,
  channel,
  missing,
  organization,
  refusedWith,
  send,
  type LogLine,
  startGateway,
  testFiles,
  toChannel,
  upload,
  type Uploaded,
  user,
  useScene,
  waitFor,
  type AnswerBody,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

const credentials = ({ deliveryEmail: email, apiKey }: TestAccount) =>
  authorization({ email, apiKey });

describe("Reading files", () => {
  const scene = useScene();
  let file: Uploaded;
  before(async () => {
    file = await upload(scene.as(scene.org.member), "ten.txt", "0123456789");
  });
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(scene.gateway.url + path, {
      method,
      headers: { ...credentials(scene.org.member), ...headers },
    });

  it("answers the bytes with headers that keep browsers from running them", async () => {
    const answer = await get(file.url);
    expect(answer.status).to.equal(200);
    expect(await answer.text()).to.equal("0123456789");
    expect(Object.fromEntries(answer.headers)).to.include({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "10",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "cache-control": "private, immutable",
      vary: "Authorization",
      "content-disposition": `inline; filename="ten.txt"`,
    });
    expect(answer.headers.get("content-security-policy")).to.match(
      /default-src 'none'.*; sandbox$/,
    );
    expect(answer.headers.get("etag")).to.match(/^"[\w-]{43}"$/);
  });

  it("sends types that browsers would run, and all downloads, as attachments", async () => {
    const client = scene.as(scene.org.member);
    const cases: Array<[name: string, type: string, disposition: string]> = [
      ["a.html", "text/html", `attachment; filename="a.html"`],
      ["a.svg", "image/svg+xml", `attachment; filename="a.svg"`],
      ["a.pdf", "application/pdf", `inline; filename="a.pdf"`],
      ["b.pdf", "application/pdf; a=b", `inline; filename="b.pdf"`],
      // Browsers take the last of several types.
      ["a.txt", "text/plain;,text/html", `attachment; filename="a.txt"`],
      ["c.pdf", "application/pdf;,text/html", `attachment; filename="c.pdf"`],
      ["ä (1).png", "image/png", "inline; filename*=UTF-8''%C3%A4%20%281%29.png"],
      [`${"x?".repeat(4_000)}.png`, "image/png", `inline; filename="${"x".repeat(251)}.png"`],
    ];
    for (const [name, type, disposition] of cases) {
      const { url, pathId } = await upload(client, name, "x", type);
      const shown = await get(encodeURI(url));
      expect(shown.headers.get("content-disposition"), name).to.equal(disposition);
      const saved = await get(`/user_uploads/download/${encodeURI(pathId)}`);
      expect(saved.headers.get("content-disposition"), name).to.match(/^attachment; /);
      expect(shown.headers.get("content-security-policy")?.includes("sandbox"), name).to.equal(
        !/^application\/pdf(;[^,]*)?$/.test(type),
      );
    }
  });

  it("answers one range, the whole file for invalid or several ranges, and 416 after the end", async () => {
    const cases: Array<[range: string, status: number, body: string, contentRange: string | null]> =
      [
        ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
        ["bytes=7-", 206, "789", "bytes 7-9/10"],
        ["bytes=-2", 206, "89", "bytes 8-9/10"],
        ["bytes=5-999", 206, "56789", "bytes 5-9/10"],
        ["bytes=-999", 206, "0123456789", "bytes 0-9/10"],
        ["bytes=5-2", 200, "0123456789", null],
        ["bytes=0-1,3-4", 200, "0123456789", null],
        ["lines=0-1", 200, "0123456789", null],
        ["bytes=-", 200, "0123456789", null],
      ];
    for (const [range, status, body, contentRange] of cases) {
      const answer = await get(file.url, { Range: range });
      expect(answer.status, range).to.equal(status);
      expect(await answer.text(), range).to.equal(body);
      expect(answer.headers.get("content-range"), range).to.equal(contentRange);
    }
    for (const range of ["bytes=10-", "bytes=99-100", "bytes=-0"]) {
      const answer = await get(file.url, { Range: range });
      expect(answer.status, range).to.equal(416);
      expect(answer.headers.get("content-range"), range).to.equal("bytes */10");
    }
  });

  it("is decided for each of many readers who come at once", async () => {
    const { member, admin } = scene.org;
    const other = await upload(scene.as(admin), "other.txt", "other");
    const foreign = (await organization(scene.db)).owner;
    const cases: Array<[reader: TestAccount, path: string, content: string | undefined]> = [
      [member, file.url, "0123456789"],
      [admin, other.url, "other"],
      [member, other.url, undefined],
      [admin, file.url, undefined],
      [foreign, file.url, undefined],
      [member, `${file.url}x`, undefined],
      [member, `${file.url}%00`, undefined],
    ];
    // More than are looked up by one statement.
    const many = Array.from({ length: 6 }, () => cases).flat();
    const answers = await Promise.all(
      many.map(async ([reader, path]) => {
        const answer = await fetch(scene.gateway.url + path, { headers: credentials(reader) });
        return answer.status === 200 ? answer.text() : answer.status;
      }),
    );
    expect(answers).to.deep.equal(many.map(([, , content]) => content ?? 404));
  });

  it("closes a file that was opened after its reader hung up", async () => {
    const store = testFiles();
    const opened: Readable[] = [];
    let open = () => {};
    const slow = Object.assign(Object.create(store) as FileStore, {
      async get(...[key, options]: Parameters<FileStore["get"]>) {
        await new Promise<void>((resolve) => (open = resolve));
        const file = await store.get(key, options);
        opened.push(file.stream);
        return file;
      },
    });
    const gateway = await startGateway(scene.db, { files: slow });
    try {
      const client = new AbortController();
      // A whole file of this size would be read without a stream.
      const headers = { ...credentials(scene.org.member), Range: "bytes=0-1" };
      const answer = fetch(gateway.url + file.url, { headers, signal: client.signal });
      answer.catch(() => {});
      const nothing = open;
      await waitFor(() => open !== nothing, { what: "the file is being opened" });
      client.abort();
      const hungUp = ({ path, code }: LogLine) =>
        path === "/user_uploads/{path_id}" && code === "BAD_REQUEST";
      await waitFor(() => gateway.logLines.some(hungUp), { what: "the request has ended" });
      open();
      await waitFor(() => opened[0]?.closed, { what: "the file is closed" });
    } finally {
      await gateway.close();
    }
  });

  it("compares the tags of conditional requests", async () => {
    const tag = (await get(file.url)).headers.get("etag")!;
    const known = await get(file.url, { "If-None-Match": `"other", ${tag}` });
    expect(known.status).to.equal(304);
    expect(await known.text()).to.equal("");
    expect((await get(file.url, { "If-None-Match": `"other"` })).status).to.equal(200);
    const part = { Range: "bytes=0-1" };
    expect((await get(file.url, { ...part, "If-Range": tag })).status).to.equal(206);
    expect((await get(file.url, { ...part, "If-Range": `"other"` })).status).to.equal(200);
  });

  it("answers HEAD with the headers of the whole file", async () => {
    const answer = await get(file.url, { Range: "bytes=0-1" }, "HEAD");
    expect(answer.status).to.equal(200);
    expect(answer.headers.get("content-length")).to.equal("10");
    expect(await answer.text()).to.equal("");
  });

  it("answers 404 to every method if the store has lost the file, even an empty one", async () => {
    const client = scene.as(scene.org.member);
    for (const content of ["lost", ""]) {
      const { url, pathId } = await upload(client, "lost.txt", content);
      expect((await get(url, {}, "HEAD")).status).to.equal(200);
      const where = { pathId };
      const { objectKey } = await scene.db.prisma.attachment.findUniqueOrThrow({ where });
      await testFiles().delete([objectKey]);
      const head = await get(url, {}, "HEAD");
      refusedWith(
        { status: head.status, body: (await client.get(url)).body },
        "BAD_REQUEST",
        {},
        404,
      );
    }
  });

  it("answers 503 to every request if the store has a file of another size", async () => {
    const client = scene.as(scene.org.member);
    // Of this size a file is streamed.
    const { url, pathId } = await upload(client, "changed.bin", new Uint8Array(100_000));
    const where = { pathId };
    const { objectKey } = await scene.db.prisma.attachment.findUniqueOrThrow({ where });
    for (const bytes of [50_000, 150_000]) {
      await testFiles().delete([objectKey]);
      await testFiles().put(objectKey, Readable.from([Buffer.alloc(bytes)]));
      for (const range of [{}, { Range: "bytes=0-9" }]) {
        const { status, text } = await client.send("GET", url, { headers: range });
        refusedWith({ status, body: JSON.parse(text) as AnswerBody }, "INTERNAL_ERROR", {}, 503);
      }
      expect((await get(url, {}, "HEAD")).status).to.equal(503);
    }
  });

  it("sends few files at a time to one account, and cuts off those that are not read", async () => {
    const mebibyte = 2 ** 20;
    const { url } = await upload(
      scene.as(scene.org.member),
      "large.bin",
      new Uint8Array(16 * mebibyte),
    );
    const unsentBounds = { ofAccount: mebibyte / 2, standingStillMs: 50, waitMs: 60_000 };
    const gateway = await startGateway(scene.db, { app: { unsentBounds } });
    const headers = credentials(scene.org.member);
    const begin = async () => (await fetch(gateway.url + url, { headers })).body?.getReader();
    try {
      const stalled = await Promise.all([begin(), begin()]);
      // There is room for two; one of these is disconnected for the third.
      const third = await fetch(gateway.url + url, { headers });
      expect((await third.arrayBuffer()).byteLength).to.equal(16 * mebibyte);
      const ends = await Promise.all(
        stalled
          .map(async (reader) => {
            for (;;) if ((await reader!.read()).done) return "whole";
          })
          .map((reading) => reading.catch(() => "cut off")),
      );
      expect(ends).to.include("cut off");
      const released = async () =>
        (await fetch(gateway.url + file.url, { headers })).status === 200;
      await waitFor(released, { what: "the memory is released" });
    } finally {
      await gateway.close();
    }
  });

  it("refuses requests without credentials, and does not reveal which files exist", async () => {
    const anonymous = await scene.gateway.anonymous.get(file.url);
    refusedWith(anonymous, "UNAUTHORIZED");
    expect(anonymous.headers.get("cache-control")).to.equal("no-store");
    const { org } = scene;
    const other = await organization(scene.db);
    const paths = [
      file.pathId,
      "1/ab/AAAAAAAAAAAAAAAAAAAAAAAA/x.txt",
      file.pathId.replaceAll("/", "//"),
      "%00",
      "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
      "%zz",
      `${file.pathId}/`,
    ];
    for (const path of paths)
      for (const before of ["/user_uploads/", "/user_uploads/download/", "/api/v1/user_uploads/"]) {
        const by = path === file.pathId ? [org.owner, other.member] : [org.member];
        for (const account of by) {
          const response = await fetch(`${scene.gateway.url}${before}${path}`, {
            headers: credentials(account),
          });
          const body = (await response.json()) as AnswerBody;
          refusedWith({ status: response.status, body }, "BAD_REQUEST", {}, 404);
        }
      }
    // An escaped slash is a slash.
    expect((await get(`/user_uploads/${encodeURIComponent(file.pathId)}`)).status).to.equal(200);
  });

  describe("by a temporary address", () => {
    const temporary = async (account = scene.org.member) =>
      (await scene.as(account).succeed(getTemporaryUrl, { path: { path_id: file.pathId } })).url;

    it("needs no credentials, on any gateway", async () => {
      const url = await temporary();
      expect(url).to.match(/^\/user_uploads\/temporary\/[\w-]+\/ten.txt$/);
      const second = await startGateway(scene.db);
      try {
        const answer = await fetch(second.url + url);
        expect(answer.status).to.equal(200);
        expect(await answer.text()).to.equal("0123456789");
      } finally {
        await second.close();
      }
    });

    it("does not work with another name, another token, or for another file", async () => {
      const url = await temporary();
      const [, , , token = ""] = url.split("/");
      const flipped = token.slice(0, -2) + (token.endsWith("AA") ? "BB" : "AA");
      for (const path of [
        `${token}/other.txt`,
        `${token}/`,
        token,
        `${flipped}/ten.txt`,
        `/ten.txt`,
        `${token}/x/ten.txt`,
        "%00/ten.txt",
      ]) {
        const answer = await scene.gateway.anonymous.get(`/user_uploads/temporary/${path}`);
        refusedWith(answer, "BAD_REQUEST");
      }
    });

    it("ends after 60 seconds", async () => {
      const { secrets } = scene.gateway.services.site;
      const [{ now } = { now: 0 }] = await scene.db.rows<{ now: number }>(
        "SELECT extract(epoch FROM now())::float8 AS now",
      );
      const madeAt = (secondsAgo: number) =>
        scene.gateway.anonymous.get(
          temporaryUrl(secrets, { pathId: file.pathId, name: "ten.txt" }, now - secondsAgo),
        );
      expect((await madeAt(30)).status).to.equal(200);
      refusedWith(await madeAt(61), "BAD_REQUEST");
    });

    it("ends with the file", async () => {
      const client = scene.as(scene.org.member);
      const gone = await upload(client, "gone.txt", "x");
      const { url } = await client.succeed(getTemporaryUrl, { path: { path_id: gone.pathId } });
      const { id } = await scene.db.prisma.attachment.findUniqueOrThrow({
        where: { pathId: gone.pathId },
      });
      expect((await client.delete(`/api/v1/attachments/${id}`)).status).to.equal(200);
      refusedWith(await scene.gateway.anonymous.get(url), "BAD_REQUEST");
      missing(await client.get(gone.url));
    });
  });

  it("is allowed to those who may read a message that links to the file", async () => {
    const { member, owner } = scene.org;
    const outsider = await user(scene.db, scene.org.realm);
    const room = await channel(scene.db, member, {
      subscribers: [member, owner],
      inviteOnly: true,
    });
    const shared = await upload(scene.as(member), "shared.txt", "for the channel");
    const reads = async (by: TestAccount) =>
      (await scene.as(by).call(getTemporaryUrl, { path: { path_id: shared.pathId } })).status;
    expect([await reads(owner), await reads(outsider)]).to.deep.equal([404, 404]);
    const content = `see [it](${shared.url})`;
    const id = await send(scene.as(member), toChannel(room.id, { content }));
    expect([await reads(owner), await reads(outsider)]).to.deep.equal([200, 404]);
    const edited = await scene.as(member).patch(`/api/v1/messages/${id}`, { content: "nothing" });
    expect(edited.status).to.equal(200);
    expect([await reads(owner), await reads(member)]).to.deep.equal([404, 200]);
  });
});
