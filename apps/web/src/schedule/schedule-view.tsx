import type { ScheduledMessage } from "@carillon/client";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Table } from "../ui/table.tsx";

const t = texts.schedule;
const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The messages that the account has scheduled. */
export function ScheduleView() {
  const { plans, channels, people } = useOrganization();
  const placeOf = ({ to, topic }: ScheduledMessage) =>
    typeof to === "number"
      ? `#${channels.nameOf(to) ?? ""} › ${topic ?? ""}`
      : to.map((id) => people.nameOf(id)).join(", ");
  const rows = plans.scheduled
    .all()
    .toSorted((a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp);
  return (
    <div class="page">
      <Table
        caption={t.title}
        empty={t.empty}
        rows={rows}
        keyOf={(row) => row.scheduled_message_id}
        columns={[
          { title: t.time, cell: (row) => times.format(row.scheduled_delivery_timestamp * 1_000) },
          { title: t.to, cell: (row) => <bdi>{placeOf(row)}</bdi> },
          { title: t.content, cell: (row) => <bdi>{row.content}</bdi> },
          { title: "", cell: (row) => row.failed && <strong>{t.failed}</strong> },
        ]}
      />
    </div>
  );
}
