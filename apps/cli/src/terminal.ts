import { createInterface } from "node:readline/promises";
import { Writable, type Readable } from "node:stream";

/** What a command talks to. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether a person is there who can be asked. */
  readonly interactive: boolean;
  /** One line on standard output. */
  say(line: string): void;
  /** One line on standard error: what goes on, and errors. */
  note(line: string): void;
  ask(question: string): Promise<string>;
  /** Asks for what nobody may see. */
  askSecret(question: string): Promise<string>;
}

/** That of this process. Questions go to standard error: standard output may be a file. */
export function ownTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const ask = async (question: string, echo: boolean) => {
    stderr.write(`${question}: `);
    const shown = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (echo) stderr.write(chunk);
        done();
      },
    });
    const lines = createInterface({ input: stdin, output: shown, terminal: true });
    try {
      return await lines.question("");
    } finally {
      lines.close();
      if (!echo) stderr.write("\n");
    }
  };
  return {
    input: stdin,
    output: stdout,
    interactive: stdin.isTTY && stderr.isTTY,
    say: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    ask: (question) => ask(question, true),
    askSecret: (question) => ask(question, false),
  };
}
