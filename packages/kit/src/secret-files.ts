import { readFileSync, statSync } from "node:fs";
import { StartupError } from "./startup-error.ts";

/** Longer is no secret, but a wrong file. */
const longestBytes = 65_536;

/**
 * The variables with those that are given as files: `SECRET_KEY_FILE` names the file that has the value of `SECRET_KEY`,
 * as containers get their secrets. Blanks and line ends around the text do not count.
 * @param names the variables that may be given so
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
    const { size } = statSync(file);
    if (size > longestBytes) {
      throw new StartupError(`${variable} ${file} has ${size} bytes: a secret has 65536 at most`);
    }
    const text = readFileSync(file, "utf8").trim();
    if (text === "") throw new StartupError(`${variable} ${file} is empty`);
    return text;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${variable} ${file} cannot be read: ${(error as Error).message}`);
  }
}
