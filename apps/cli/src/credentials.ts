import { writeFileSync } from "node:fs";
import { StartupError } from "@carillon/kit";

/**
 * Creates an empty file for credentials, mode 0600, before the key is made: a key that cannot be written would be lost.
 * @throws StartupError when the file exists or cannot be created
 */
export function reserveFile(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      code === "EEXIST" ? `${path} already exists` : `${path} cannot be written (${code})`,
    );
  }
}
