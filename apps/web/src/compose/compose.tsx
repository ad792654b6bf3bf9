import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { SendLater } from "../schedule/send-later.tsx";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { ComposeState } from "./compose-state.ts";
import { MessageBox } from "./message-box.tsx";
import { PendingUploads } from "./pending-uploads.tsx";
import { Place } from "./place.tsx";
import { Preview } from "./preview.tsx";
import { TypingNotice } from "./typing-notice.ts";
import { Uploads } from "./uploads.ts";

const t = texts.compose;

export interface ComposeProps {
  readonly state: ComposeState;
}

/** The form that writes a message. */
export function Compose({ state }: ComposeProps) {
  const organization = useOrganization();
  const uploads = useMemo(() => new Uploads(organization, state), [organization, state]);
  const typing = useMemo(() => new TypingNotice(organization), [organization]);
  const isPreviewed = useSignal(false);
  const files = useRef<HTMLInputElement>(null);
  useEffect(
    () => () => {
      typing.stop();
      uploads.close();
      state.close();
    },
    [state, typing, uploads],
  );
  const conversation = state.conversation.value;
  const canSend =
    conversation !== undefined && state.content.value.trim() !== "" && !uploads.areRunning.value;

  function send(): void {
    if (!conversation || !canSend) return;
    typing.stop();
    organization.outbox.send(conversation, state.content.value);
    state.clear();
    isPreviewed.value = false;
    state.focus();
  }

  return (
    <form
      class="compose"
      aria-label={t.region}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Place state={state} />
      <MessageBox
        state={state}
        isHidden={isPreviewed.value}
        onSend={send}
        onFiles={(list) => uploads.add(list)}
        onTyped={() => conversation && typing.typed(conversation)}
      />
      {isPreviewed.value && <Preview content={state.content.value} />}
      <PendingUploads uploads={uploads} />
      <div class="compose-actions">
        <input
          ref={files}
          type="file"
          multiple
          hidden
          aria-label={t.attach}
          onChange={(event) => {
            uploads.add(event.currentTarget.files ?? []);
            event.currentTarget.value = "";
          }}
        />
        <Button kind="quiet" label={t.attach} onClick={() => files.current?.click()}>
          <Icon name="attach" />
        </Button>
        <Button
          kind="quiet"
          disabled={state.content.value.trim() === ""}
          onClick={() => {
            isPreviewed.value = !isPreviewed.value;
            if (!isPreviewed.value) state.focus();
          }}
        >
          {isPreviewed.value ? texts.common.edit : t.preview}
        </Button>
        <span class="compose-gap" />
        <SendLater
          conversation={conversation}
          content={state.content.value}
          disabled={!canSend}
          onScheduled={() => state.clear()}
          onUndo={(text) => state.write([text, state.content.value].filter(Boolean).join("\n\n"))}
        />
        <Button kind="primary" type="submit" disabled={!canSend}>
          {t.send}
        </Button>
      </div>
    </form>
  );
}
