import { useSignal } from "@preact/signals";
import { reasonOf } from "../reason.ts";
import { useOrganization } from "../store/use-organization.ts";

export interface Act {
  /** Sends an action on the widget. The event that follows changes it. */
  readonly act: (action: object) => void;
  /** Why the last action was refused. */
  readonly problem: string | undefined;
}

export function useAct(messageId: number): Act {
  const { client } = useOrganization();
  const reason = useSignal<string | undefined>(undefined);
  return {
    act(action) {
      reason.value = undefined;
      client
        .addSubmessage({
          message_id: messageId,
          msg_type: "widget",
          content: JSON.stringify(action),
        })
        .catch((error: unknown) => (reason.value = reasonOf(error)));
    },
    problem: reason.value,
  };
}
