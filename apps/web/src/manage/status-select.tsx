import { texts } from "../texts.ts";
import { Select } from "../ui/select.tsx";

const t = texts.organization;

/** Whether a table shows what is in use, or what is not any more. */
export type Status = "active" | "inactive";

export interface StatusSelectProps {
  readonly value: Status;
  /** The name of what is not in use: "Deactivated". */
  readonly inactive: string;
  readonly onChange: (status: Status) => void;
}

/** Chooses between rows that are in use and rows that are not. */
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
