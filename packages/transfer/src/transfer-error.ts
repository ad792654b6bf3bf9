import { StartupError } from "@carillon/kit";

/** A fault of an export. Its message names the file, and the line if the fault is in one. */
export class TransferError extends StartupError {
  constructor(file: string, line: number | undefined, problem: string) {
    super(`${file}${line === undefined ? "" : `, line ${line}`}: ${problem}`);
  }
}
