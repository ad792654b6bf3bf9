import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button, type ButtonProps } from "./button.tsx";

export interface MenuItem {
  readonly label: string;
  /** The current meaning, shown beside the label: a time, for example. */
  readonly detail?: string;
  readonly danger?: boolean;
  /** Whether a line divides it from the entries above. */
  readonly isFirstOfGroup?: boolean;
  readonly onChoose: () => void;
}

export interface MenuProps {
  /** The name of the button that opens the menu. */
  readonly label: string;
  readonly children: ComponentChildren;
  readonly kind?: ButtonProps["kind"];
  readonly disabled?: boolean;
  /** Where the list opens; below the button unless given. */
  readonly placement?: "above" | "below";
  readonly items: readonly MenuItem[];
}

/** A button that opens a list of actions, which arrow keys walk through. */
export function Menu(props: MenuProps) {
  const { label, children, items, kind = "quiet", placement = "below" } = props;
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!open.value || !root.current || !list.current) return;
    list.current.showPopover();
    placeAt(list.current, root.current.getBoundingClientRect(), placement);
    list.current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const close = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) open.value = false;
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, [open.value]);

  function close(): void {
    open.value = false;
    root.current?.querySelector("button")?.focus();
  }

  function walk(event: KeyboardEvent): void {
    const entries = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    if (next === undefined && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== undefined) entries.at(next % entries.length)?.focus();
  }

  return (
    <div class="menu" ref={root} onKeyDown={open.value ? walk : undefined}>
      <Button
        kind={kind}
        label={label}
        disabled={props.disabled}
        hasMenu
        expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        {children}
      </Button>
      {open.value && (
        <div ref={list} class="menu-items" popover="manual" role="menu" aria-label={label}>
          {items.map((item, at) => (
            <button
              // The index, because an event may change the label, and an entry with a new key would lose the focus.
              key={at}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={classOf(item)}
              onClick={() => {
                close();
                item.onChoose();
              }}
            >
              {item.label}
              {item.detail !== undefined && <span class="menu-detail">{item.detail}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function classOf({ danger, isFirstOfGroup }: MenuItem): string {
  return `menu-item${danger ? " menu-item-danger" : ""}${isFirstOfGroup ? " menu-item-first" : ""}`;
}

/**
 * Puts the list at its button, on the other side than asked for if there is no room. It is drawn above everything else, so
 * that no list of messages cuts it off.
 */
function placeAt(list: HTMLElement, button: DOMRect, placement: "below" | "above"): void {
  const { offsetHeight: height, offsetWidth: width } = list;
  const fitsBelow = button.bottom + height < innerHeight;
  const isBelow = placement === "below" ? fitsBelow || button.top < height : button.top < height;
  list.style.top = `${isBelow ? button.bottom : button.top - height}px`;
  list.style.left = `${Math.max(8, Math.min(button.right - width, innerWidth - width - 8))}px`;
}
