import type { ComponentChildren } from "preact";

/** An error that screen readers announce. */
export function Alert({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="alert" role="alert">
      {children}
    </div>
  );
}
