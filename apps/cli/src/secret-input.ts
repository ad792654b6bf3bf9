import { readSecretFile, StartupError } from "@carillon/kit";

import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Longer than any secret. */
const maxLength = 4_096;

/**
 * Reads a secret from a file, from standard input (`-`), or from the terminal, where it is typed twice.
 * @param what its name in prompts: `password`
 * @param option the option that names the file
 * @throws UsageError when there is neither a file nor a terminal
 */
export async function secretFrom(
  terminal: Terminal,
  file: string | undefined,
  { what, option }: { what: string; option: string },
): Promise<string> {
  if (file !== undefined) return firstLine(file === "-" ? await all(terminal) : read(file));
  if (!terminal.interactive)
    throw new UsageError(
      `no terminal to prompt for the ${what}: give ${option} FILE, or - for standard input`,
    );
  const secret = await terminal.askSecret(`The ${what}`);
  if ((await terminal.askSecret(`The ${what} again`)) !== secret)
    throw new StartupError("the two entries differ");
  return secret;
}

/**
 * Returns an option's value, or prompts for it.
 * @throws UsageError when it is missing and there is no terminal
 */
export async function given(
  terminal: Terminal,
  value: string | undefined,
  { question, option }: { question: string; option: string },
): Promise<string> {
  if (value !== undefined) return value;
  if (!terminal.interactive) throw new UsageError(`${option} is missing`);
  return terminal.ask(question);
}

function read(file: string): string {
  try {
    return readSecretFile(file);
  } catch (error) {
    throw new StartupError(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    );
  }
}

async function all({ input }: Terminal): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of input as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > maxLength) break;
  }
  // Decoded as a whole: a character may span two chunks.
  return Buffer.concat(pieces).toString("utf8");
}

/** Returns the only line, without a byte order mark. */
function firstLine(text: string): string {
  const line = text.replace(/^\ufeff/, "").replace(/\r?\n$/, "");
  if (line.length > maxLength)
    throw new StartupError(`a secret has at most ${maxLength} characters`);
  if (/[\r\n]/.test(line)) throw new StartupError("a secret is one line; this has several");
  return line;
}
