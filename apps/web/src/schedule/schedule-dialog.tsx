import type { Condition, MessageSeries, ScheduledMessage } from "@carillon/client";
import { texts } from "../texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { EditSeriesDialog } from "./edit-series-dialog.tsx";

/** A dialog of the schedule, with what it was opened for. */
export type OpenDialog =
  | {
      readonly kind: "edit" | "time";
      readonly message: ScheduledMessage;
      /** Returns the conditions; undefined while they are not loaded. */
      readonly conditionsNow: () => readonly Condition[] | undefined;
      readonly isOccurrence: boolean;
    }
  | { readonly kind: "edit-series"; readonly series: MessageSeries }
  | {
      readonly kind: "delete";
      readonly title: string;
      readonly hint: string;
      readonly remove: () => Promise<unknown>;
    };

export interface ScheduleDialogProps {
  readonly dialog: OpenDialog | undefined;
  readonly onClose: () => void;
}

/**
 * Draws the dialog that is open. It belongs to the page and not to the entry: an entry that is sent or fails meanwhile
 * would take along what is being written.
 */
export function ScheduleDialog({ dialog, onClose }: ScheduleDialogProps) {
  switch (dialog?.kind) {
    case undefined:
      return null;
    case "edit":
    case "time":
      return (
        <EditDialog
          message={dialog.message}
          conditionsNow={dialog.conditionsNow}
          isTimeOnly={dialog.kind === "time"}
          isOccurrence={dialog.isOccurrence}
          onClose={onClose}
        />
      );
    case "edit-series":
      return <EditSeriesDialog series={dialog.series} onClose={onClose} />;
    case "delete":
      return (
        <ConfirmDialog
          title={dialog.title}
          submit={texts.common.delete}
          onConfirm={dialog.remove}
          onClose={onClose}
        >
          {dialog.hint}
        </ConfirmDialog>
      );
  }
}
