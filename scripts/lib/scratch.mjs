import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const sharedMemory = "/dev/shm";
/** Three databases at a time and the WAL (512 MB), times two. */
const roomBytes = 2 * 2 ** 30;

/**
 * Returns a folder for the files of throw-away servers: in memory if there is room. Each suite copies and drops a database
 * of 550 files, which takes up to 200 ms on ext4 and 25 ms in memory.
 * @returns {string} an existing folder
 */
export function scratchFolder() {
  // Leaves half of the memory to the suites.
  return process.availableMemory() >= 2 * roomBytes && hasRoom(sharedMemory)
    ? sharedMemory
    : tmpdir();
}

/**
 * Returns the folders where earlier runs may have left files.
 * @returns {string[]} existing folders
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
