import type { SourceArchive } from "../archives/source-archive.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { TransferWriter } from "../writer.ts";

export interface ZulipOptions {
  readonly archive: SourceArchive;
  readonly writer: TransferWriter;
  readonly report: ConversionReport;
  readonly organizationName: string | undefined;
  progress?(messages: number): void;
}

export async function convertZulip(_: ZulipOptions): Promise<void> {
  throw new Error("later");
}
