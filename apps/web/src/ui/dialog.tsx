import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when the dialog is closed by its button, Escape or a click beside it. */
  readonly onClose: () => void;
}

/** A modal dialog. The browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-content">
        <header class="dialog-header">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" label={texts.app.close} onClick={onClose}>
            <Icon name="close" />
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
