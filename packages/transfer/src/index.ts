export { type Manifest, transferFormat } from "./manifest.ts";
export * from "./records.ts";
export { TransferReader, type NumberedRecord } from "./reader.ts";
export { TransferError } from "./transfer-error.ts";
export { TransferWriter } from "./writer.ts";
export { type Conversion, convertExport, discardConversion } from "./convert-export.ts";
