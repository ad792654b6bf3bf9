import type { Connection } from "../store/connection.ts";
import type { Unsent } from "../store/outbox.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";

const t = texts.compose;

/** The text that tells what an unsent message waits for. */
const progress: Readonly<Record<Connection, string>> = {
  connecting: t.sending,
  live: t.sending,
  silent: t.waitingForServer,
  offline: t.waiting,
  refused: t.waiting,
};

/** A message that the server has not answered yet, or has refused. */
export function UnsentRow({ item }: { readonly item: Unsent }) {
  const { outbox, connection, people, me } = useOrganization();
  return (
    <div class="row row-first">
      <article class="message unsent" aria-label={people.nameOf(me)}>
        <p class="rendered unsent-text" dir="auto">
          {item.content}
        </p>
        {item.state === "failed" ? (
          <div class="unsent-failed">
            <Alert>{t.failed(item.reason ?? "")}</Alert>
            <Button onClick={() => outbox.retry(item.key)}>{t.retry}</Button>
            <Button onClick={() => outbox.discard(item.key)}>{t.discard}</Button>
          </div>
        ) : (
          <div class="message-time" role="status">
            {progress[connection.value]}
          </div>
        )}
      </article>
    </div>
  );
}
