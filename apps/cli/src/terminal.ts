import { createInterface } from "node:readline/promises";
import { Writable, type Readable } from "node:stream";

import { Interrupted } from "./cleanups.ts";

/** Input and output of a command. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether the command can prompt. */
  readonly interactive: boolean;
  /** Whether `output` is a terminal. */
  readonly shown: boolean;
  /** Writes a line to standard output. */
  say(line: string): void;
  /** Writes a line to standard error: progress and errors. */
  note(line: string): void;
  /** Prompts. @throws Interrupted on Ctrl-C or Ctrl-D, like `askSecret` */
  ask(question: string): Promise<string>;
  /** Prompts without echo. */
  askSecret(question: string): Promise<string>;
}

/** The streams of a process. */
interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Returns the terminal of this process. Prompts go to standard error, because standard output may be a file. */
export function ownTerminal({ stdin, stdout, stderr }: Streams = process): Terminal {
  stderr.on("error", () => {});
  stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the pipe early; the command continues.
    if (code === "EPIPE") return;
    stderr.write(`carillon: standard output: ${message}\n`);
    process.exitCode = 1;
  });
  const ask = async (question: string, echo: boolean) => {
    // readline redraws the line at each key, so the prompt must be part of what readline draws.
    if (!echo) stderr.write(question);
    const drawn = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (echo) stderr.write(chunk);
        done();
      },
    });
    const lines = createInterface({ input: stdin, output: drawn, terminal: true });
    try {
      return await lines.question(echo ? question : "");
    } catch (error) {
      if ((error as Error).name !== "AbortError") throw error;
      if (echo) stderr.write("\n");
      throw new Interrupted();
    } finally {
      lines.close();
      if (!echo) stderr.write("\n");
    }
  };
  return {
    input: stdin,
    output: stdout,
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    shown: stdout.isTTY === true,
    say: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    ask: (question) => ask(`${question}: `, true),
    askSecret: (question) => ask(`${question}: `, false),
  };
}
