import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const sharedMemory = "/dev/shm";
/** Three databases at a time, the log up to its bound (512 MB), and as much again. */
const roomBytes = 2 * 2 ** 30;

/**
 * Where throw-away servers keep their files: in memory, where there is room for them. Each suite copies and drops a
 * database of 550 files: on ext4 that takes up to 200 ms of a core, in memory 25 ms.
 * @returns {string} a folder that exists
 */
export function scratchFolder() {
  // Half of what is left stays with the suites.
  return process.availableMemory() >= 2 * roomBytes && hasRoom(sharedMemory)
    ? sharedMemory
    : tmpdir();
}

/**
 * Wherever earlier runs may have left something.
 * @returns {string[]} folders that exist
 */
export function scratchFolders() {
  return isWritable(sharedMemory) ? [tmpdir(), sharedMemory] : [tmpdir()];
}

function hasRoom(folder) {
  if (!isWritable(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= roomBytes;
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
