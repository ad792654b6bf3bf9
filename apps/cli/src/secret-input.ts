import { readSecretFile, StartupError } from "@carillon/kit";

import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Far beyond any secret. */
const longest = 4_096;

/**
 * A secret from a file, from standard input (`-`), or from the person at the terminal, who types it twice.
 * @param what names it for the person: `password`
 * @param option names the option that gives the file
 * @throws UsageError where there is neither a file nor a person
 */
export async function secretFrom(
  terminal: Terminal,
  file: string | undefined,
  { what, option }: { what: string; option: string },
): Promise<string> {
  if (file !== undefined) return firstLine(file === "-" ? await all(terminal) : read(file));
  if (!terminal.interactive)
    throw new UsageError(
      `nobody is there to ask for the ${what}: give ${option} FILE, or - for standard input`,
    );
  const secret = await terminal.askSecret(`The ${what}`);
  if ((await terminal.askSecret(`The ${what} again`)) !== secret)
    throw new StartupError("these two were not the same");
  return secret;
}

/**
 * What was given, or else what the person at the terminal says.
 * @throws UsageError where nobody is there
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
    if (size > longest) break;
  }
  // Not piece by piece: a character may lie in two.
  return Buffer.concat(pieces).toString("utf8");
}

/** Without the mark that some editors begin a file with. */
function firstLine(text: string): string {
  const line = text.replace(/^\ufeff/, "").replace(/\r?\n$/, "");
  if (line.length > longest) throw new StartupError(`a secret has at most ${longest} characters`);
  if (/[\r\n]/.test(line)) throw new StartupError("a secret is one line, and this has several");
  return line;
}
