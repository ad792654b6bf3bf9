import { roleNamed } from "../store/roles.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Table } from "../ui/table.tsx";

const t = texts.organization;

export interface ManageViewProps {
  /** The part of the address after `#organization/`. */
  readonly section: string;
}

/** The pages by which an organization is run. */
export function ManageView({ section }: ManageViewProps) {
  const { people } = useOrganization();
  const rows = people.byId
    .all()
    .filter(({ is_active }) => is_active)
    .toSorted((one, other) => one.full_name.localeCompare(other.full_name));
  if (section !== "" && section !== "people") return <p class="empty">{texts.app.unknownPage}</p>;
  return (
    <div class="page">
      <Table
        caption={t.people}
        empty=""
        rows={rows}
        keyOf={(row) => row.user_id}
        columns={[
          { title: t.name, cell: (row) => <bdi>{row.full_name}</bdi> },
          { title: t.role, cell: (row) => roleOf(row.role) },
        ]}
      />
    </div>
  );
}

function roleOf(role: number): string {
  const name = roleNamed(role);
  return name === undefined ? "" : t.roles[name];
}
