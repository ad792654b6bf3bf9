// JavaScript, so that it needs no compilation and is the same file for tests, builds and containers. `image-maker.ts` starts
// it in a child process for each picture, and kills the process when it has the answer.
import sharp from "sharp";

/** @typedef {import("../src/image-maker.ts").Rendition} Rendition */
/** @typedef {import("../src/image-maker.ts").ImageFacts} ImageFacts */

/** Maximum pixels of a picture, and of all decoded frames of an animated one (files.md §5). */
const maxPixels = 90_000_000;
const maxAnimatedPixels = 30_000_000;

/** The allowed loaders of libvips. All others are blocked: SVG and PDF may contain programs, and files.md §5 has no other formats. */
const loaders = ["Jpeg", "Png", "Webp", "Nsgif", "Tiff", "Heif"];
/** Formats of `sharp` whose pages are frames. Pages of a TIFF are not. */
const animatedFormats = new Set(["gif", "webp"]);

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}Buffer`) });

// The parent process has ended. `exit` would wait for the thread that decodes.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.send?.({ ready: true });

const bytes = await readAll(process.stdin);
try {
  const { facts, oriented } = await readFacts(bytes);
  if (facts === undefined) process.send?.({ refused: "notDecodable" });
  else if (!fits(facts)) process.send?.({ refused: "tooLarge" });
  else await make(facts, oriented);
} catch (error) {
  process.stderr.write(String(error));
  process.send?.({ refused: "notDecodable" });
}

/**
 * Makes the renditions that the parent asks for, and writes their bytes one after the other.
 * @param {ImageFacts} facts
 * @param {boolean} oriented
 */
async function make(facts, oriented) {
  /** @type {Promise<Rendition[]>} */
  const asked = new Promise((resolve) =>
    process.once("message", (message) => resolve(/** @type {Rendition[]} */ (message))),
  );
  process.send?.({ facts });
  /** @type {{ name: string, size: number }[]} */
  const files = [];
  /** @type {Buffer[]} */
  const made = [];
  for (const rendition of await asked) {
    const file = await render(facts, oriented, rendition);
    files.push({ name: rendition.name, size: file.length });
    made.push(file);
  }
  process.send?.({ files });
  for (const file of made) await write(file);
}

/**
 * Reads the header of the picture. `facts` is undefined for a format that is not allowed; `oriented` says whether the size is
 * that after the rotation of EXIF.
 * @param {Buffer} input
 */
async function readFacts(input) {
  const head = await sharp(input, { failOn: "error", limitInputPixels: false }).metadata();
  const type = typeOf(head);
  if (type === undefined) return { facts: undefined, oriented: false };
  const frames = animatedFormats.has(head.format) ? (head.pages ?? 1) : 1;
  // libvips applies the rotation of EXIF to still images only.
  const oriented = frames === 1;
  const { width, height } = oriented ? head.autoOrient : head;
  return { facts: { type, width, height, frames }, oriented };
}

/**
 * Returns the media type of a picture; undefined for formats that are not decoded.
 * @param {import("sharp").Metadata} head
 * @returns {ImageFacts["type"] | undefined}
 */
function typeOf({ format, compression }) {
  switch (format) {
    case "gif":
    case "jpeg":
    case "png":
    case "tiff":
    case "webp":
      return `image/${format}`;
    case "heif":
      return compression === "av1" ? "image/avif" : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns whether a picture has few enough pixels; of an animation, up to three frames count.
 * @param {ImageFacts} facts
 */
function fits({ width, height, frames }) {
  const pixels = width * height;
  return pixels <= maxPixels && (frames === 1 || pixels * Math.min(3, frames) <= maxAnimatedPixels);
}

/**
 * Renders the picture in the size and format of a rendition.
 * @param {ImageFacts} facts
 * @param {boolean} oriented whether the rotation of EXIF is applied
 * @param {Rendition} rendition
 */
async function render({ type, width, height, frames }, oriented, rendition) {
  const pages = rendition.animated
    ? Math.min(frames, Math.floor(maxAnimatedPixels / (width * height)))
    : 1;
  const image = sharp(bytes, {
    failOn: "error",
    limitInputPixels: maxPixels,
    autoOrient: oriented,
    ...(animatedFormats.has(type.slice("image/".length)) && { pages }),
  });
  const { width: boxWidth, height: boxHeight, fit } = rendition;
  image.resize(boxWidth, boxHeight, { fit, withoutEnlargement: fit === "inside" });
  const format = rendition.format === "original" ? type.slice("image/".length) : rendition.format;
  return image.toFormat(/** @type {keyof import("sharp").FormatEnum} */ (format)).toBuffer();
}

/**
 * Reads a stream to its end, into memory.
 * @param {AsyncIterable<Buffer>} stream
 */
async function readAll(stream) {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Writes to standard output, and waits until the parent process can take more.
 * @param {Buffer} file
 */
function write(file) {
  return new Promise((resolve) => process.stdout.write(file, resolve));
}
