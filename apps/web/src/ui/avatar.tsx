/** Milliseconds after which the browser requests a picture again that could not be loaded. */
const retryAfterMs = 60_000;
/** Time of the last failure by the address of the picture. Without it, each new row would request a missing picture again. */
const failures = new Map<string, number>();

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
      {url && !hasFailed(url) && (
        <img
          src={url}
          alt=""
          loading="lazy"
          onError={({ currentTarget }) => {
            failures.set(url, performance.now());
            currentTarget.remove();
          }}
        />
      )}
    </span>
  );
}

function hasFailed(url: string): boolean {
  const at = failures.get(url);
  return at !== undefined && performance.now() - at < retryAfterMs;
}
