import { readFile } from "node:fs/promises";
import { StartupError } from "@carillon/kit";

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
  if (file !== undefined) return firstLine(file === "-" ? await all(terminal) : await read(file));
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

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new StartupError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function all({ input }: Terminal): Promise<string> {
  let text = "";
  for await (const piece of input) {
    text += String(piece);
    if (text.length > longest) break;
  }
  return text;
}

function firstLine(text: string): string {
  const line = text.replace(/\r?\n$/, "");
  if (line.length > longest || /[\r\n]/.test(line))
    throw new StartupError("a secret is one line, and this has several");
  return line;
}
