import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { useAction } from "./use-action.ts";

export interface FormDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The words of the button that sends the form. */
  readonly submit: string;
  /** Whether the form does something that is hard to undo. */
  readonly isDangerous?: boolean;
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
        <div class="form-actions">
          <Button onClick={props.onClose}>{texts.app.cancel}</Button>
          <Button type="submit" kind={props.isDangerous ? "danger" : "primary"} disabled={isBusy}>
            {props.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
