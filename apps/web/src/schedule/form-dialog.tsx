import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { reasonOf } from "../reason.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

export interface FormDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly children: ComponentChildren;
  /** Rejects with the reason if the server refuses; the form stays open then. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** A dialog with a form, which is closed once the server has accepted it. */
export function FormDialog({ title, submit, children, onSubmit, onClose }: FormDialogProps) {
  const error = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);

  async function run(): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      await onSubmit();
      onClose();
    } catch (cause) {
      error.value = reasonOf(cause);
    }
    isBusy.value = false;
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="schedule-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {children}
        {error.value !== undefined && <Alert>{error.value}</Alert>}
        <div class="form-actions">
          <Button onClick={onClose}>{texts.schedule.cancel}</Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
