export interface AvatarProps {
  readonly name: string;
  readonly id: number;
  readonly url: string | null | undefined;
}

/** A person's picture, or the first letter of the name on one of twelve colours. The name is shown beside it. */
export function Avatar({ name, id, url }: AvatarProps) {
  const [letter = "?"] = name.trim();
  return (
    <span class={`avatar avatar-${id % 12}`} aria-hidden="true">
      {letter.toUpperCase()}
      {url && (
        <img src={url} alt="" loading="lazy" onError={(event) => event.currentTarget.remove()} />
      )}
    </span>
  );
}
