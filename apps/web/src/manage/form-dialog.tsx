import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useAction } from "./use-action.ts";

export interface FormDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The words of the button that sends the form. */
  readonly action: string;
  /** Sends the form's request. */
  readonly onSubmit: (form: HTMLFormElement) => Promise<unknown>;
  readonly onClose: () => void;
}

/** A form in a dialog. It closes when the server has accepted the request, and keeps the input if it refuses. */
export function FormDialog(props: FormDialogProps) {
  const { run, isBusy, problem } = useAction();
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          void run(() => props.onSubmit(form)).then((isDone) => isDone && props.onClose());
        }}
      >
        {props.children}
        {problem !== undefined && <Alert>{problem}</Alert>}
        <div class="dialog-buttons">
          <Button onClick={props.onClose}>{texts.organization.cancel}</Button>
          <Button type="submit" kind="primary" disabled={isBusy}>
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
