import { createInterface } from "node:readline/promises";
import { Writable, type Readable } from "node:stream";

import { BrokenOff } from "./holds.ts";

/** What a command talks to. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether a person is there who can be asked. */
  readonly interactive: boolean;
  /** Whether what is written to `output` is shown to a person. */
  readonly shown: boolean;
  /** One line on standard output. */
  say(line: string): void;
  /** One line on standard error: what goes on, and errors. */
  note(line: string): void;
  /** @throws BrokenOff where the person presses Ctrl-C or Ctrl-D instead, like `askSecret` */
  ask(question: string): Promise<string>;
  /** Asks for what nobody may see. */
  askSecret(question: string): Promise<string>;
}

/** The streams of a process. */
interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** That of this process. Questions go to standard error: standard output may be a file. */
export function ownTerminal({ stdin, stdout, stderr }: Streams = process): Terminal {
  stderr.on("error", () => {});
  stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // Who has read enough, `head` for one, closes it: the work goes on.
    if (code === "EPIPE") return;
    stderr.write(`carillon: standard output: ${message}\n`);
    process.exitCode = 1;
  });
  const ask = async (question: string, echo: boolean) => {
    // The line is drawn anew with each key: what stands before the answer has to come from where the answer does.
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
      throw new BrokenOff();
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
