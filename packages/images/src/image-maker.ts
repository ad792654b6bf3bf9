import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type Cancellation, Semaphore } from "@carillon/kit";
import type { ImageType } from "./image-type.ts";

/** What the head of a picture says. */
export interface ImageFacts {
  readonly type: ImageType;
  /** Pixels as seen, after the turn that EXIF asks for. */
  readonly width: number;
  readonly height: number;
  /** 1 for a picture that does not move. */
  readonly frames: number;
}

/** A picture to be made of another one. */
export interface Rendition {
  readonly name: string;
  /** Pixels of the box. */
  readonly width: number;
  readonly height: number;
  /** `inside` fits the whole picture into the box and never enlarges it; `cover` fills the box and cuts in the middle. */
  readonly fit: "inside" | "cover";
  readonly format: "webp" | "png" | "original";
  /** Whether it moves, with as many frames as the bounds allow; otherwise it is the first frame. */
  readonly animated: boolean;
}

/** Pictures by the names of their renditions, or why there are none. */
export type MadeImages =
  | (ImageFacts & { readonly made: true; readonly files: ReadonlyMap<string, Buffer> })
  | { readonly made: false; readonly reason: "notDecodable" | "tooLarge" };

export interface MakeOptions {
  /** Ends the work, with its reason. */
  readonly signal: AbortSignal;
}

/** Limits of the process that decodes. Tests take smaller ones. */
export interface DecoderLimits {
  /** Milliseconds without progress, which is also the most that decoding takes. */
  readonly timeoutMs: number;
  readonly memoryKib: number;
}

const usualLimits: DecoderLimits = { timeoutMs: 20_000, memoryKib: 1024 * 1024 };

/** How many processes may fail with a picture before it counts as not decodable. */
const attempts = 3;

/** Maximum bytes of all renditions of a picture. */
const maxOutputBytes = 64 * 1024 * 1024;

/** One picture at a time: each takes a processor and up to 1 GiB. */
const decoding = new Semaphore(1);

/** The same path from a source and from a bundle, whose modules keep the places of the compiled ones. */
const decoder = fileURLToPath(new URL("../decoder/decoder.mjs", import.meta.url));

/**
 * Makes renditions of an uploaded picture (files.md §5). Decodes in a process of its own for each picture, which gets no
 * environment, at most 1 GiB and 20 s: a hostile picture ends that process alone. Where the system does not enforce the
 * limit of memory (it is Linux that does), the bounds of pixels remain. Metadata is dropped.
 * @param open opens the bytes of the picture, up to three times
 * @param renditions called with what the head of the picture says
 * @throws the error of `open` or its stream; the reason of the signal; Error if the process cannot be started
 */
export async function makeImages(
  open: () => Promise<Readable>,
  renditions: readonly Rendition[] | ((facts: ImageFacts) => readonly Rendition[]),
  { signal }: MakeOptions,
  limits = usualLimits,
): Promise<MadeImages> {
  signal.throwIfAborted();
  await decoding.acquire(cancellationBy(signal));
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      signal.throwIfAborted();
      const decoded = await new Decoding(limits).run(open, renditions, signal);
      if (decoded !== "failed") return decoded;
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

/** One process of the decoder. `failed` means that it ended, stalled or answered nonsense. */
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
        this.#listen(renditions, resolve, reject);
        const stalled = () =>
          this.#waitsFor(source)
            ? reject(new Error("the bytes of a picture stopped arriving"))
            : resolve("failed");
        timer = setTimeout(stalled, this.#limits.timeoutMs);
        open().then((bytes) => {
          source = bytes;
          bytes.on("error", reject);
          if (ended.signal.aborted) return bytes.destroy();
          bytes.on("data", () => timer?.refresh());
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

  /** Returns whether the decoder would take more bytes of the source. */
  #waitsFor(source: Readable | undefined): boolean {
    return !source?.readableEnded && !this.#child.stdin?.writableNeedDrain;
  }

  #listen(
    renditions: readonly Rendition[] | ((facts: ImageFacts) => readonly Rendition[]),
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
        if (message.ready) this.#ready = true;
        else if (message.refused) resolve({ made: false, reason: message.refused });
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
 * Starts the decoder under limits of memory, processor time and dumps. `ulimit -d` bounds what a process of Linux can
 * write to, native memory too; `ulimit -v` would also count the address space that V8 only reserves. A system that does
 * not know one of the limits starts it without that limit.
 */
function startDecoder({ timeoutMs, memoryKib }: DecoderLimits): ChildProcess {
  const seconds = 3 * Math.ceil(timeoutMs / 1_000);
  // The score makes the kernel end the decoder before the worker if memory runs out.
  const limits = `ulimit -d ${memoryKib}; ulimit -t ${seconds}; ulimit -c 0; echo 1000 >/proc/self/oom_score_adj`;
  return spawn(
    "/bin/sh",
    ["-c", `{ ${limits}; } 2>/dev/null; exec "$0" "$1"`, process.execPath, decoder],
    {
      stdio: ["pipe", "pipe", "pipe", "ipc"],
      // No variable of ours, because they hold secrets. libvips keeps large pictures in memory, where the limit counts them.
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
