/** Drawings of 24 × 24, as paths of one line. */
const paths = {
  attach: "M8 12.5 15 5.4a3.5 3.5 0 0 1 5 5L10.6 20a5.6 5.6 0 0 1-8-8l8.6-8.6",
  close: "M6 6l12 12M18 6L6 18",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M4.5 12h1M11.5 12h1M18.5 12h1",
  plus: "M12 5v14M5 12h14",
  react: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5h.01M15 9.5h.01",
  reply: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6v1",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20",
  star: "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z",
  down: "M12 5v14M6 13l6 6 6-6",
} as const;

export type IconName = keyof typeof paths;

export interface IconProps {
  readonly name: IconName;
  readonly filled?: boolean;
}

/** A drawing beside or in place of words. Its control has the accessible name. */
export function Icon({ name, filled = false }: IconProps) {
  return (
    <svg class={filled ? "icon icon-filled" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
