import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type Cancellation, Semaphore } from "@carillon/kit";
import type { ImageType } from "./image-type.ts";

/** What the header of an image file says. */
export interface ImageFacts {
  readonly type: ImageType;
  /** Pixels as seen, after the turn that EXIF asks for. */
  readonly width: number;
  readonly height: number;
  /** 1 for a still image. */
  readonly frames: number;
}

/** An image to make from an uploaded picture. */
export interface Rendition {
  readonly name: string;
  /** The box, in pixels. */
  readonly width: number;
  readonly height: number;
  /** `inside` fits the whole picture into the box and never enlarges it; `cover` fills the box and cuts in the middle. */
  readonly fit: "inside" | "cover";
  readonly format: "webp" | "png" | "original";
  /** Whether to keep the animation, with as many frames as the bounds allow; otherwise only the first frame is used. */
  readonly animated: boolean;
}

/** The images that were made, by the names of their renditions, or why there are none. */
export type MadeImages =
  | (ImageFacts & { readonly made: true; readonly files: ReadonlyMap<string, Buffer> })
  | { readonly made: false; readonly reason: "notDecodable" | "tooLarge" | "tooSlow" };

export interface MakeOptions {
  /** Ends the work; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Default: 20 s and 1 GiB. */
  readonly limits?: Partial<DecoderLimits>;
}

/** Limits of the process that decodes. */
export interface DecoderLimits {
  /** Maximum milliseconds between two chunks of the input, and of decoding after the last chunk. */
  readonly timeoutMs: number;
  readonly memoryKib: number;
}

const usualLimits: DecoderLimits = { timeoutMs: 20_000, memoryKib: 1024 * 1024 };

/** How many processes may fail with a picture before it counts as not decodable. A process that is too slow is not repeated. */
const attempts = 3;

/** Maximum bytes of all renditions of a picture. */
const maxOutputBytes = 64 * 1024 * 1024;

/** One picture at a time: decoding occupies one core and up to 1 GiB. */
const decoding = new Semaphore(1);

/** The relative path is the same from the source and from a bundle, because bundles keep the folders of the compiled modules. */
const decoder = fileURLToPath(new URL("../decoder/decoder.mjs", import.meta.url));

/**
 * Makes renditions of an uploaded picture (files.md §5). Starts a child process for each picture, which gets no secrets, at
 * most 1 GiB and 20 s, so that a hostile picture can only end that process. Only Linux enforces the memory limit; elsewhere
 * only the number of pixels is limited. Metadata is dropped.
 * @param open opens the bytes of the picture, up to three times
 * @param renditions the list, or a function that chooses it from the facts of the picture
 * @throws the error of `open` or its stream; the reason of the signal; Error if the process cannot be started
 */
export async function makeImages(
  open: () => Promise<Readable>,
  renditions: readonly Rendition[] | ((facts: ImageFacts) => readonly Rendition[]),
  { signal, limits: given }: MakeOptions,
): Promise<MadeImages> {
  const limits = { ...usualLimits, ...given };
  signal.throwIfAborted();
  await decoding.acquire(cancellationBy(signal));
  const startedAt = performance.now();
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      signal.throwIfAborted();
      const decoded = await new Decoding(limits).run(open, renditions, signal);
      if (decoded !== "failed") return decoded;
      // Another decoder might need as long again.
      if (performance.now() - startedAt > limits.timeoutMs / 2)
        return { made: false, reason: "tooSlow" };
    }
    return { made: false, reason: "notDecodable" };
  } finally {
    decoding.release();
  }
}

/** Messages of the decoder: `ready`, then `facts` and `files` with the sizes of what it writes, or `refused`. */
interface DecoderMessage {
  readonly ready?: true;
  readonly facts?: ImageFacts;
  readonly files?: ReadonlyArray<{ readonly name: string; readonly size: number }>;
  readonly refused?: "notDecodable" | "tooLarge";
}

/** One child process that decodes. The result `failed` means that it crashed or sent too many bytes. */
class Decoding {
  readonly #limits: DecoderLimits;
  readonly #child: ChildProcess;
  readonly #output: Buffer[] = [];
  #outputBytes = 0;
  #ready = false;
  #facts: ImageFacts | undefined;
  #files: DecoderMessage["files"];

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
    this.#child = startDecoder(limits);
  }

  async run(
    open: () => Promise<Readable>,
    renditions: readonly Rendition[] | ((facts: ImageFacts) => readonly Rendition[]),
    signal: AbortSignal,
  ): Promise<MadeImages | "failed"> {
    const ended = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let source: Readable | undefined;
    try {
      return await new Promise<MadeImages | "failed">((resolve, reject) => {
        const aborted = () => reject(reasonOf(signal));
        signal.addEventListener("abort", aborted, { signal: ended.signal });
        if (signal.aborted) aborted();
        const refresh = () => {
          if (!ended.signal.aborted) timer?.refresh();
        };
        this.#listen(renditions, refresh, resolve, reject);
        const stalled = () =>
          this.#waitsFor(source)
            ? reject(new Error("the bytes of a picture stopped arriving"))
            : resolve({ made: false, reason: "tooSlow" });
        timer = setTimeout(stalled, this.#limits.timeoutMs);
        open().then((bytes) => {
          source = bytes;
          bytes.on("error", reject);
          if (ended.signal.aborted) return bytes.destroy();
          bytes.on("data", refresh);
          return bytes.pipe(this.#child.stdin!);
        }, reject);
      });
    } finally {
      clearTimeout(timer);
      ended.abort();
      this.#child.kill("SIGKILL");
      source?.destroy();
    }
  }

  /** Returns whether the decoder waits for bytes of the source: then the source has stalled, not the decoder. */
  #waitsFor(source: Readable | undefined): boolean {
    return !source?.readableEnded && !this.#child.stdin?.writableNeedDrain;
  }

  #listen(
    renditions: readonly Rendition[] | ((facts: ImageFacts) => readonly Rendition[]),
    isReady: () => void,
    resolve: (result: MadeImages | "failed") => void,
    reject: (error: unknown) => void,
  ): void {
    const child = this.#child;
    let stderr = "";
    const settleIfComplete = () => {
      const result = this.#result();
      if (result) resolve(result);
    };
    // The decoder may end before it has read everything; `exit` reports that.
    child.stdin?.on("error", () => {});
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(0, 2_000);
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#outputBytes += chunk.length;
      if (this.#outputBytes > maxOutputBytes) return resolve("failed");
      this.#output.push(chunk);
      settleIfComplete();
    });
    child.on("message", (message: DecoderMessage) => {
      try {
        if (message.ready) {
          this.#ready = true;
          // Loading libvips on a busy machine takes seconds, which are not the picture's.
          isReady();
        } else if (message.refused) resolve({ made: false, reason: message.refused });
        else if (message.files) this.#files = message.files;
        else if (message.facts) {
          this.#facts = message.facts;
          const asked = typeof renditions === "function" ? renditions(message.facts) : renditions;
          child.send([...asked], () => {});
        }
        settleIfComplete();
      } catch (error) {
        reject(error);
      }
    });
    child.on("error", reject);
    child.on("exit", (code, by) => {
      if (this.#ready) return resolve("failed");
      const how = by ?? `code ${code}`;
      reject(new Error(`the image decoder did not start (${how}): ${stderr.trim()}`));
    });
  }

  /** Returns the renditions once all their bytes have arrived. */
  #result(): MadeImages | undefined {
    const files = this.#files;
    if (!this.#facts || !files) return undefined;
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (this.#outputBytes < size) return undefined;
    const bytes = Buffer.concat(this.#output);
    const made = new Map<string, Buffer>();
    let at = 0;
    for (const file of files) made.set(file.name, bytes.subarray(at, (at += file.size)));
    return { ...this.#facts, made: true, files: made };
  }
}

/**
 * Starts the decoder with limits on memory, processor time and core dumps. On Linux, `ulimit -d` limits the writable memory
 * of a process, native memory too; `ulimit -v` would also count the address space that V8 only reserves. A system that
 * does not support one of the limits starts the decoder without it.
 */
function startDecoder({ timeoutMs, memoryKib }: DecoderLimits): ChildProcess {
  const seconds = 3 * Math.ceil(timeoutMs / 1_000);
  // With this score the kernel ends the decoder before the worker if memory runs out.
  const limits = `ulimit -d ${memoryKib}; ulimit -t ${seconds}; ulimit -c 0; echo 1000 >/proc/self/oom_score_adj`;
  return spawn(
    "/bin/sh",
    ["-c", `{ ${limits}; } 2>/dev/null; exec "$0" "$1"`, process.execPath, decoder],
    {
      stdio: ["pipe", "pipe", "pipe", "ipc"],
      // Not the worker's environment, because it contains secrets. libvips keeps large pictures in memory, where the limit counts them.
      env: { VIPS_DISC_THRESHOLD: "2g" },
    },
  );
}

function cancellationBy(signal: AbortSignal): Cancellation {
  return {
    get reason() {
      return signal.aborted ? reasonOf(signal) : undefined;
    },
    onEnd(listener) {
      signal.addEventListener("abort", listener);
      return () => signal.removeEventListener("abort", listener);
    },
  };
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
