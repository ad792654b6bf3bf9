export { type Exported, exportOrganization, type ExportOptions } from "./export-organization.ts";
export { giveUpImport } from "./give-up-import.ts";
export {
  type ImportedOrganization,
  importOrganization,
  type ImportOptions,
} from "./import-organization.ts";
export { newTransferKey, type TransferKey, transferKeyOf } from "./transfer-key.ts";
