import type { Client } from "@carillon/client";
import type { Person } from "../store/people.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Table } from "../ui/table.tsx";
import { DayAndTime } from "../ui/time.tsx";
import { botTypes } from "./bot-types.ts";
import { useLoaded } from "../ui/use-loaded.ts";

const t = texts.organization;

/** The addresses that a bot calls or subscribes, with their state and what failed last. */
export function BotEndpointDialog(props: { readonly bot: Person; readonly onClose: () => void }) {
  const { bot, onClose } = props;
  const { client } = useOrganization();
  const { value, problem } = useLoaded(() => endpointsOf(client, bot), ["realm_bot"]);
  return (
    <Dialog title={t.endpointsOf(bot.full_name)} onClose={onClose}>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {value === undefined && problem === undefined && <p role="status">{texts.app.connecting}</p>}
      {value && !value.webhook && value.subscriptions.length === 0 && <p>{t.noEndpoints}</p>}
      {value?.webhook && (
        <>
          <dl class="facts">
            <dt>{t.endpoint}</dt>
            <dd>{value.webhook.payload_url}</dd>
            <dt>{t.state}</dt>
            <dd>{t.states[value.webhook.state]}</dd>
            <dt>{t.waiting}</dt>
            <dd>{value.webhook.waiting}</dd>
          </dl>
          <Table
            caption={t.lastCalls}
            empty={t.noCalls}
            rows={value.calls}
            keyOf={(call) => `${call.webhook_id} ${call.attempt}`}
            columns={[
              { title: t.time, cell: (call) => <DayAndTime seconds={call.attempted_at} /> },
              { title: t.result, cell: (call) => t.outcomes[call.outcome] },
              { title: t.answer, cell: (call) => call.error ?? call.status ?? "" },
            ]}
          />
        </>
      )}
      {value && value.subscriptions.length > 0 && (
        <Table
          caption={t.subscriptions}
          empty=""
          rows={value.subscriptions}
          keyOf={(one) => one.id}
          columns={[
            { title: t.endpoint, cell: (one) => one.url },
            {
              title: t.state,
              cell: (one) => [t.states[one.state], one.state_reason].filter(Boolean).join(": "),
            },
            {
              title: t.failingSince,
              cell: (one) =>
                one.failing_since !== null && <DayAndTime seconds={one.failing_since} />,
            },
          ]}
        />
      )}
    </Dialog>
  );
}

async function endpointsOf(client: Client, { user_id: bot_id, bot_type }: Person) {
  const isOutgoing = bot_type === botTypes.outgoing;
  const [webhook, calls, subscriptions] = await Promise.all([
    isOutgoing ? client.getBotWebhook({ bot_id }) : undefined,
    isOutgoing ? client.getBotWebhookDeliveries({ bot_id }) : undefined,
    client.getEventSubscriptions({ bot_id }),
  ]);
  return {
    webhook,
    calls: calls?.deliveries.slice(0, 20) ?? [],
    subscriptions: subscriptions.subscriptions,
  };
}
