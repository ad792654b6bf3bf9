import type { Message } from "@carillon/client";

type Submessage = Message["submessages"][number];

/** The data of a widget (messages.md §6.7): its first submessage, and the later actions, oldest first. */
export interface WidgetData {
  readonly type: string;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly actions: readonly WidgetAction[];
}

export interface WidgetAction {
  readonly senderId: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the widget that is shown in place of a message's text; undefined if the message has none. */
export function widgetOf(submessages: readonly Submessage[]): WidgetData | undefined {
  const [first, ...later] = submessages
    .filter(({ msg_type }) => msg_type === "widget")
    .toSorted((a, b) => a.id - b.id);
  const data = first && objectIn(first.content);
  if (!data || typeof data["widget_type"] !== "string") return undefined;
  return {
    type: data["widget_type"],
    extra: isObject(data["extra_data"]) ? data["extra_data"] : {},
    actions: later.flatMap(({ sender_id, content }) => {
      const action = objectIn(content);
      return action ? [{ senderId: sender_id, data: action }] : [];
    }),
  };
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectIn(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
