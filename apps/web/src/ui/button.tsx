import type { ComponentChildren, MouseEventHandler } from "preact";

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: "primary" | "plain" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean | undefined;
  /** The name for screen readers, where the content is only a sign. */
  readonly label?: string | undefined;
  readonly pressed?: boolean | undefined;
  readonly expanded?: boolean | undefined;
  /** Whether the button opens a menu. */
  readonly hasMenu?: boolean;
  readonly class?: string | undefined;
  readonly onClick?: MouseEventHandler<HTMLButtonElement> | undefined;
}

/** A button. `primary` is for the main action of a view. */
export function Button(props: ButtonProps) {
  const { kind = "plain", type = "button", label, pressed, expanded } = props;
  return (
    <button
      class={`button button-${kind} ${props.class ?? ""}`}
      type={type}
      disabled={props.disabled ?? false}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-haspopup={props.hasMenu ? "menu" : undefined}
      title={label}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}
