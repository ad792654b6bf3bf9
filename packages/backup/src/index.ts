export { FaultyObjects } from "./faulty-objects.ts";
export { type Backup, type BackupOptions, writeBackup } from "./write-backup.ts";
export { type Restored, restoreBackup } from "./restore-backup.ts";
export { type RestoredFiles } from "./restore-objects.ts";
