export { type Backup, writeBackup } from "./write-backup.ts";
export { type Restored, restoreBackup } from "./restore-backup.ts";
