import { FormDialog } from "./form-dialog.tsx";

export interface ConfirmDialogProps {
  readonly title: string;
  readonly text: string;
  readonly submit: string;
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ text, ...props }: ConfirmDialogProps) {
  return (
    <FormDialog {...props}>
      <p>{text}</p>
    </FormDialog>
  );
}
