import type { ComponentChildren } from "preact";
import { FormDialog } from "./form-dialog.tsx";

export interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** The words of the button that does it. */
  readonly submit: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something is done that is hard to undo. Stays open, with the reason, if the server refuses. */
export function ConfirmDialog({ children, onConfirm, ...props }: ConfirmDialogProps) {
  return (
    <FormDialog {...props} isDangerous onSubmit={onConfirm}>
      <p>{children}</p>
    </FormDialog>
  );
}
