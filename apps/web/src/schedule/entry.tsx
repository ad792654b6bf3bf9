import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Rendered } from "../html/rendered.tsx";
import { hashOf } from "../route.ts";
import { type Conversation, routeOf } from "../store/conversation.ts";
import { titleOf } from "../store/titles.ts";
import { useOrganization } from "../store/use-organization.ts";
import { useNow, useTimeStyle } from "../store/use-times.ts";
import { absolute, day, relative, timeOfDay } from "../time/words.ts";

export interface EntryProps {
  /** The conversation that the message goes to; reminders have none. */
  readonly place?: Conversation;
  /** What it is, before the place: a time, or a rule. */
  readonly head: ComponentChildren;
  /** Either HTML of the server's renderer, or the text as it was written. */
  readonly html?: string;
  readonly text?: string;
  /** Lines below the text: conditions, reasons, results. */
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly kind?: "failed" | "withheld" | "paused" | undefined;
}

/** One message of the schedule. */
export function Entry({ place, head, html, text, children, actions, kind }: EntryProps) {
  const organization = useOrganization();
  const id = useId();
  return (
    <li class={kind ? `entry entry-${kind}` : "entry"} aria-labelledby={id}>
      <div class="entry-head" id={id}>
        {head}
        {place && (
          <a class="entry-place" href={hashOf(routeOf(place, organization.me))}>
            <bdi>{titleOf(place, organization)}</bdi>
          </a>
        )}
      </div>
      {html === undefined ? (
        <div class="entry-text" dir="auto">
          {text}
        </div>
      ) : (
        <Rendered html={html} class="rendered entry-text" />
      )}
      {children}
      {actions && <div class="entry-actions">{actions}</div>}
    </li>
  );
}

export interface WhenProps {
  readonly seconds: number;
  /** Whether the time has certainly passed. It is then shown as past even if the browser's clock is a little behind. */
  readonly isOver?: boolean;
}

/** How far away a time is, beside its day and hour; the pointer shows it in full. */
export function When({ seconds, isOver = false }: WhenProps) {
  const now = useNow();
  const style = useTimeStyle();
  return (
    <time
      class="when"
      dateTime={new Date(seconds * 1_000).toISOString()}
      title={absolute(seconds, style)}
    >
      <strong>{relative(seconds, isOver ? Math.max(now, seconds + 1) : now, style)}</strong>{" "}
      <span class="when-day">
        {day(seconds, now, style)}, {timeOfDay(seconds, style)}
      </span>
    </time>
  );
}
