import { closeSync, openSync, readSync } from "node:fs";
import { StartupError } from "./startup-error.ts";

/** A larger file is not a secret, but a wrong file. */
const maxBytes = 65_536;

/**
 * Adds the variables that are given as files: `SECRET_KEY_FILE` names the file with the value of `SECRET_KEY`, as
 * container platforms provide secrets. White space around the text is removed.
 * @param names the variables that may be given as files
 * @throws StartupError when a variable is given in both ways, or its file cannot be read or is empty
 */
export function withSecretFiles(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  const given = { ...source };
  for (const name of names) {
    const variable = `${name}_FILE`;
    const file = source[variable];
    if (!file) continue;
    if (source[name])
      throw new StartupError(`${variable} is set, and ${name} too: set one of them`);
    given[name] = read(file, variable);
  }
  return given;
}

function read(file: string, variable: string): string {
  try {
    const text = readSecretFile(file).trim();
    if (text === "") throw new StartupError(`${variable} ${file} is empty`);
    return text;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${variable} ${file} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Reads a file with a secret. It may be a pipe or device, which report no size and may never end.
 * @throws Error when it cannot be read, or is larger than any secret
 */
export function readSecretFile(file: string): string {
  const pieces: Buffer[] = [];
  let size = 0;
  const handle = openSync(file, "r");
  try {
    for (;;) {
      const piece = Buffer.alloc(maxBytes);
      const count = readSync(handle, piece);
      if (count === 0) return Buffer.concat(pieces).toString("utf8");
      pieces.push(piece.subarray(0, count));
      size += count;
      if (size > maxBytes)
        throw new Error(`it has more than ${maxBytes} bytes, which no secret has`);
    }
  } finally {
    closeSync(handle);
  }
}
