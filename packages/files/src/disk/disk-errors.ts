import { StorageUnavailable } from "../store.ts";

const advice: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space, or set FILES_DIR to a folder on a larger disk",
  EDQUOT: "the disk quota is used up; raise it, or set FILES_DIR to a folder on another disk",
  EROFS: "the file system is read-only; mount it writable",
  EACCES: "this process may not read and write there; give its user the folder",
  EPERM: "this process may not read and write there; give its user the folder",
  ENOENT: "the folder no longer exists; is its file system mounted?",
  ENOTDIR: "this is not a folder; set FILES_DIR to a folder",
  ENOTCONN: "the file system is not connected; mount it again",
  ESTALE: "the file system is not connected; mount it again",
  EIO: "the disk has an input/output error; check it",
  EMFILE: "this process has too many files open; raise the limit of open files",
  ENFILE: "this machine has too many files open; raise the limit of open files",
};

/** Converts errors of the operating system to StorageUnavailable with advice. Returns other errors unchanged. */
export function diskError(folder: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const message = advice[code] ?? (error as Error).message;
  return new StorageUnavailable(`FILES_DIR ${folder}: ${message} (${code})`, { cause: error });
}

/** Creates the error to report for an operation that takes too long. */
export function hungError(folder: string, limitMs: number): StorageUnavailable {
  return new StorageUnavailable(
    `FILES_DIR ${folder}: an operation has not ended within ${limitMs / 1_000} s; check the disk or the file server`,
  );
}

/** Returns the code of an error of the operating system: `ENOENT`, for example. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
