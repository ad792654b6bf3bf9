import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import type { MessageWindow } from "./message-window.ts";

/** What the rows of a list share. */
export interface View {
  readonly messages: MessageWindow;
  /** Whether messages of several conversations are in the view. */
  readonly isMixed: boolean;
  readonly onReply: (conversation: Conversation) => void;
}

export const ViewContext = createContext<View | undefined>(undefined);

/** Returns the view that the row is part of. */
export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("the row is outside of a view");
  return view;
}
