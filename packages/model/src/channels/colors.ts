/** What new subscriptions are painted with, in this order: exactly `#` and six lower-case hex digits. */
export const palette: readonly string[] = [
  "#2f8fc4",
  "#d2691e",
  "#3da35d",
  "#a45ee5",
  "#d64545",
  "#e0a800",
  "#1fa7a0",
  "#c2559d",
  "#6b7fd7",
  "#7a9e2e",
  "#8c6d46",
  "#e3735e",
  "#4c6b8a",
  "#b58900",
  "#5fb3d9",
  "#96568b",
  "#57806a",
  "#cf9fe0",
  "#9bbf5c",
  "#e59b6d",
  "#7d8597",
  "#b0413e",
  "#57a0a8",
  "#d9a3b5",
];

/** A colour as clients store it, or undefined for a text that is none. */
export function normaliseColor(text: string): string | undefined {
  const color = text.trim().toLowerCase();
  return /^#[0-9a-f]{6}$/.test(color) ? color : undefined;
}
