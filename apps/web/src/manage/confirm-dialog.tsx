import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useAction } from "./use-action.ts";

export interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** The words of the button that does it. */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something is done that is hard to undo. Stays open, with the reason, if the server refuses. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { run, isBusy, problem } = useAction();
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.children}</p>
      {problem !== undefined && <Alert>{problem}</Alert>}
      <div class="dialog-buttons">
        <Button onClick={props.onClose}>{texts.organization.cancel}</Button>
        <Button
          kind="danger"
          disabled={isBusy}
          onClick={() => {
            void run(props.onConfirm).then((isDone) => isDone && props.onClose());
          }}
        >
          {props.action}
        </Button>
      </div>
    </Dialog>
  );
}
