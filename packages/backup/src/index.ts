export { type FaultyObject, FaultyObjects } from "./faulty-objects.ts";
export { type Backup, type BackupOptions, writeBackup } from "./write-backup.ts";
export { type Restored, restoreBackup, type RestoreOptions } from "./restore-backup.ts";
export { type RestoredFiles } from "./restore-objects.ts";
export { type WrittenObjects } from "./write-objects.ts";
