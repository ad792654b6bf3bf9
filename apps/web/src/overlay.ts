import { signal } from "@preact/signals";

/** A dialog that any part of the client may open. */
export type Overlay =
  | { readonly kind: "keys" | "people" }
  | { readonly kind: "profile" | "leave"; readonly id: number };

export const overlay = signal<Overlay | undefined>(undefined);

export function openProfile(id: number): void {
  overlay.value = { kind: "profile", id };
}

/** Opens the dialog that asks whether the account shall leave a channel. */
export function openLeaving(id: number): void {
  overlay.value = { kind: "leave", id };
}

export function closeOverlay(): void {
  overlay.value = undefined;
}
