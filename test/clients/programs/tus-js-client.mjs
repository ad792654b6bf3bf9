import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { Upload } from "tus-js-client";

// Uploads a file that breaks off and is resumed, and one in pieces; prints each result as one line of JSON.
const [url, email, key] = process.argv.slice(2);
const print = (msg, answer) => console.log(JSON.stringify({ msg, answer }));
const endpoint = `${url}/api/v1/tus`;
const headers = { Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}` };
const content = Buffer.alloc(8 * 1024 * 1024, (_, i) => i);
for (let i = 0; i < content.length; i += 4)
  content.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, i);
const hashOf = (bytes) => createHash("sha256").update(bytes).digest("hex");
const metadata = { filename: "Video of 2026.mp4", filetype: "video/mp4" };

/** Uploads until the end, or until `stop` returns true. Returns the upload and the body of the last answer. */
function run(options, stop = () => false, body = content) {
  return new Promise((resolve, reject) => {
    const upload = new Upload(body, {
      endpoint,
      headers,
      metadata,
      ...options,
      onError: reject,
      onProgress: (sent) => {
        if (stop(sent)) void upload.abort().then(() => resolve({ upload }));
      },
      onSuccess: ({ lastResponse }) => resolve({ upload, body: lastResponse.getBody() }),
    });
    upload.start();
  });
}

/** Yields more than half of the bytes, and the rest once the upload has been stopped. */
async function* untilStopped(stopped) {
  for (let at = 0; at < content.length; at += 65_536) {
    if (at > (content.length * 5) / 8) await stopped;
    yield content.subarray(at, at + 65_536);
  }
}

async function download(answer) {
  const { url: path, filename } = JSON.parse(answer);
  const response = await fetch(url + path, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { filename, type: response.headers.get("content-type"), hash: hashOf(bytes) };
}

print("content", hashOf(content));
let isStopped;
const stopped = new Promise((resolve) => (isStopped = resolve));
const broken = await run(
  { uploadSize: content.length, chunkSize: content.length },
  (sent) => sent > content.length / 2,
  Readable.from(untilStopped(stopped)),
);
isStopped();
const head = () =>
  fetch(broken.upload.url, { method: "HEAD", headers: { ...headers, "Tus-Resumable": "1.0.0" } });
let offset = 0;
while (offset === 0) offset = Number((await head()).headers.get("upload-offset"));
print("broken", { offset });
const resumed = await run({ uploadUrl: broken.upload.url, retryDelays: [50, 100, 200, 400, 800] });
print("resumed", await download(resumed.body));
const inPieces = await run({
  uploadDataDuringCreation: true,
  overridePatchMethod: true,
  chunkSize: 3_000_000,
});
print("in pieces", await download(inPieces.body));
const ended = await run({ chunkSize: 100_000 }, (sent) => sent > 200_000);
await ended.upload.abort(true);
const gone = await fetch(ended.upload.url, {
  method: "HEAD",
  headers: { ...headers, "Tus-Resumable": "1.0.0" },
});
print("ended", gone.status);
