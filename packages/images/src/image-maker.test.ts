import { fork } from "node:child_process";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { decodersOf, isDecoder, isReading, pngPicture, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import sharp, { type Color, type Sharp } from "sharp";
import { makeImages, type DecoderLimits, type MadeImages, type Rendition } from "./image-maker.ts";

const still: Rendition = {
  name: "840x560.webp",
  width: 840,
  height: 560,
  fit: "inside",
  format: "webp",
  animated: false,
};
const moving: Rendition = { ...still, name: "840x560-anim.webp", animated: true };
const square: Rendition = {
  name: "100.png",
  width: 100,
  height: 100,
  fit: "cover",
  format: "png",
  animated: false,
};
const { signal } = new AbortController();

function make(
  bytes: Buffer,
  renditions: Parameters<typeof makeImages>[1] = [still],
  limits: Partial<DecoderLimits> = {},
) {
  const open = async () => Readable.from(pieces(bytes));
  return makeImages(open, renditions, { signal, limits });
}

function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Returns a picture of one colour. */
function picture(width: number, height: number, background: Color = "red"): Sharp {
  return sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });
}

/** Returns 200 × 100 pixels of frames that differ. */
async function movingPicture(format: "gif" | "webp", frames: number): Promise<Buffer> {
  const all = await Promise.all(
    Array.from({ length: frames }, (_, at) =>
      picture(200, 100, { r: (at * 40) % 256, g: at % 256, b: 90 })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(all, { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
}

/** Returns a moving picture whose frames cover the upper left corner of a larger canvas. */
async function largeMovingPicture(width: number, height: number, frames: number): Promise<Buffer> {
  const file = await movingPicture("webp", frames);
  file.writeUIntLE(width - 1, 24, 3);
  file.writeUIntLE(height - 1, 27, 3);
  return file;
}

async function factsOf(file: Buffer | undefined) {
  const { format, width, height, pages = 1, exif, icc } = await sharp(file).metadata();
  return { format, width, height, pages, exif, icc };
}

function filesOf(made: MadeImages) {
  if (!made.made) throw new Error(`no pictures: ${made.reason}`);
  return made.files;
}

describe("image maker", function () {
  this.timeout(120_000);

  for (const format of ["avif", "gif", "jpeg", "png", "tiff", "webp"] as const)
    it(`makes a thumbnail of ${format}`, async () => {
      const made = await make(await picture(1_200, 900).toFormat(format).toBuffer());
      expect(made).to.include({
        made: true,
        type: `image/${format}`,
        width: 1_200,
        height: 900,
        frames: 1,
      });
      expect(await factsOf(filesOf(made).get("840x560.webp"))).to.include({
        format: "webp",
        width: 747,
        height: 560,
      });
    });

  it("turns a picture as EXIF says, and drops its metadata", async () => {
    const exif = { IFD0: { Copyright: "somebody" } };
    const file = await picture(60, 40)
      .withMetadata({ orientation: 6 })
      .withExifMerge(exif)
      .jpeg()
      .toBuffer();
    const made = await make(file);
    expect(made).to.include({ width: 40, height: 60 });
    expect(await factsOf(filesOf(made).get(still.name))).to.deep.equal({
      format: "webp",
      width: 40,
      height: 60,
      pages: 1,
      exif: undefined,
      icc: undefined,
    });
  });

  it("keeps the frames of an animated picture, or the first one, or the format", async () => {
    const file = await movingPicture("gif", 5);
    const emoji: Rendition = { ...square, name: "emoji", format: "original", animated: true };
    const made = await make(file, [still, moving, square, emoji]);
    expect(made).to.include({ width: 200, height: 100, frames: 5 });
    const files = filesOf(made);
    expect(await factsOf(files.get(still.name))).to.include({ format: "webp", pages: 1 });
    expect(await factsOf(files.get(moving.name))).to.include({ width: 200, height: 100, pages: 5 });
    expect(await factsOf(files.get(square.name))).to.include({
      format: "png",
      width: 100,
      height: 100,
    });
    expect(await factsOf(files.get("emoji"))).to.include({
      format: "gif",
      width: 100,
      height: 100,
      pages: 5,
    });
  });

  it("chooses renditions by what the head of the picture says", async () => {
    const file = await picture(30, 50).tiff().toBuffer();
    const made = await make(file, ({ type, width, height }) => [
      { ...still, name: `${type} ${width}x${height}` },
    ]);
    expect([...filesOf(made).keys()]).to.deep.equal(["image/tiff 30x50"]);
  });

  it("makes only as many frames as fit", async () => {
    // 3 of 9,000,000 pixels fit into 30,000,000.
    const made = await make(await largeMovingPicture(3_000, 3_000, 4), [moving]);
    expect(made).to.include({ made: true, frames: 4 });
    expect(await factsOf(filesOf(made).get(moving.name))).to.include({ pages: 3 });
  });

  it("refuses what is larger than the bounds", async () => {
    const refused = { made: false, reason: "tooLarge" };
    const bomb = Buffer.from(pngPicture(20_000, 20_000));
    expect(bomb.length).to.be.lessThan(1_000_000);
    expect(await make(bomb)).to.deep.equal(refused);
    expect(await make(await largeMovingPicture(3_200, 3_200, 3))).to.deep.equal(refused);
    expect(await make(await largeMovingPicture(3_200, 3_200, 2))).to.include({ made: true });
  });

  it("makes a thumbnail of the largest picture", async () => {
    const file = await picture(10_000, 9_000).jpeg({ progressive: true }).toBuffer();
    expect(await make(file)).to.include({ made: true, width: 10_000, height: 9_000 });
  });

  it("refuses what it cannot decode", async () => {
    const refused = { made: false, reason: "notDecodable" };
    const noise = sharp({
      create: {
        width: 400,
        height: 400,
        channels: 3,
        background: "red",
        noise: { type: "gaussian", mean: 128, sigma: 30 },
      },
    });
    const png = await noise.png().toBuffer();
    const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`);
    const others = [
      png.subarray(0, png.length / 2),
      Buffer.from("<html><body>no picture</body></html>"),
      svg,
      Buffer.concat([png.subarray(0, 8), svg]),
      Buffer.alloc(0),
    ];
    for (const bytes of others) expect(await make(bytes)).to.deep.equal(refused);
  });

  it("takes a picture for not decodable whose decoder was killed three times, and another one works", async () => {
    const file = await picture(30, 30).png().toBuffer();
    let killed = 0;
    const refused = await make(file, () => {
      for (const pid of decodersOf(process.pid)) process.kill(pid, "SIGKILL");
      killed++;
      return [still];
    });
    expect(refused).to.deep.equal({ made: false, reason: "notDecodable" });
    expect(killed).to.equal(3);
    expect(await make(file)).to.include({ made: true });
  });

  it("kills a decoder that hangs", async () => {
    const file = await picture(30, 30).png().toBuffer();
    let opened = 0;
    const stopping = makeImages(
      async () => {
        opened++;
        const source = new Readable({ read() {} });
        void waitFor(() => decodersOf(process.pid).find((pid) => isReading(pid)), {
          what: "the decoder reads",
        }).then((pid) => {
          process.kill(pid, "SIGSTOP");
          source.push(file);
          source.push(null);
        });
        return source;
      },
      [still],
      // Longer than a decoder takes to start on a busy machine: its bytes do not arrive before.
      { signal, limits: { timeoutMs: 6_000 } },
    );
    expect(await stopping).to.deep.equal({ made: false, reason: "tooSlow" });
    expect(opened, "other pictures need not wait for a second attempt").to.equal(1);
    await noDecoders(process.pid);
  });

  it("bounds the memory of the decoder", async () => {
    const file = await picture(9_000, 9_000).png({ progressive: true }).toBuffer();
    const limits = { memoryKib: 256 * 1024 };
    expect(await make(file, [still], limits)).to.deep.equal({
      made: false,
      reason: "notDecodable",
    });
    expect(await make(file)).to.include({ made: true });
  });

  it("throws when the bytes cannot be read, and when the work is aborted", async () => {
    const failing = new Error("the store is away");
    const from = (open: () => Promise<Readable>, options = { signal }) =>
      makeImages(open, [still], options).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await from(() => Promise.reject(failing))).to.equal(failing);
    const broken = new Readable({ read: () => void broken.destroy(failing) });
    expect(await from(async () => broken)).to.equal(failing);
    const stop = new AbortController();
    const reason = new Error("the job is over");
    const source = new Readable({ read: () => stop.abort(reason) });
    expect(await from(async () => source, stop)).to.equal(reason);
    expect(source.destroyed).to.equal(true);
    await noDecoders(process.pid);
  });

  it("ends the decoder with its parent", async () => {
    const program = fileURLToPath(new URL("test-support/maker-main.ts", import.meta.url));
    const parent = fork(program, { execArgv: ["--conditions=source", "--import=tsx"] });
    const decoder = await waitFor(() => decodersOf(parent.pid!).find((pid) => isReading(pid)), {
      what: "the decoder reads",
    });
    parent.kill("SIGKILL");
    await waitFor(() => !isDecoder(decoder), { what: "the decoder has ended" });
  });
});

async function noDecoders(parent: number): Promise<void> {
  await waitFor(() => decodersOf(parent).length === 0, { what: "no decoder runs" });
}
