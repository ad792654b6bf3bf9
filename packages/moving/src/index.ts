export { type Exported, exportOrganization, type ExportOptions } from "./export-organization.ts";
export {
  giveUpImport,
  type ImportedOrganization,
  importOrganization,
  type ImportOptions,
} from "./import-organization.ts";
export { newTransferKey, type TransferKey, transferKeyOf } from "./transfer-key.ts";
