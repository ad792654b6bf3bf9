import { texts } from "../texts.ts";
import { Select } from "../ui/select.tsx";

const t = texts.organization;

/** Whether a table shows active rows, or archived or deactivated ones. */
export type Status = "active" | "inactive";

export interface StatusSelectProps {
  readonly value: Status;
  /** Label of the choice `inactive`: "Deactivated" or "Archived". */
  readonly inactive: string;
  readonly onChange: (status: Status) => void;
}

/** The select that chooses between active and inactive rows. */
export function StatusSelect({ value, inactive, onChange }: StatusSelectProps) {
  return (
    <Select
      label={t.status}
      name="status"
      value={value}
      options={[
        { value: "active", label: t.active },
        { value: "inactive", label: inactive },
      ]}
      onChange={(status) => onChange(status as Status)}
    />
  );
}
