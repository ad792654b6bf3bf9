import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { FilterField } from "./filter-field.tsx";
import { Table, type Column } from "./table.tsx";

const t = texts.organization;

export interface FilteredTableProps<Row> {
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  /** undefined while they are loaded */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string | number;
  /** The texts of a row that the filter looks at. */
  readonly wordsOf: (row: Row) => readonly string[];
  readonly empty: string;
  readonly problem?: string | undefined;
  /** Buttons and further filters, beside the filter. */
  readonly children?: ComponentChildren;
}

/** Rows that are drawn at first, and added by each press of the button for more. */
const step = 100;

/** A table with a filter by words, which draws long lists in steps. */
export function FilteredTable<Row>(props: FilteredTableProps<Row>) {
  const { rows, wordsOf } = props;
  const filter = useSignal("");
  const shown = useSignal(step);
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found =
    words.length === 0
      ? rows
      : rows?.filter((row) => {
          const text = wordsOf(row).join("\n").toLowerCase();
          return words.every((word) => text.includes(word));
        });
  const rest = (found?.length ?? 0) - shown.value;
  return (
    <section class="manage-section" aria-label={props.caption}>
      <div class="manage-tools">
        <FilterField
          value={filter.value}
          onInput={(value) => {
            filter.value = value;
            shown.value = step;
          }}
        />
        {props.children}
      </div>
      {props.problem !== undefined && <Alert>{props.problem}</Alert>}
      {found === undefined ? (
        props.problem === undefined && (
          <p class="empty" role="status">
            {texts.app.connecting}
          </p>
        )
      ) : (
        <>
          <p class="manage-count" role="status">
            {t.count(found.length)}
          </p>
          <Table
            caption={props.caption}
            empty={words.length > 0 ? t.nothingFound : props.empty}
            rows={found.slice(0, shown.value)}
            keyOf={props.keyOf}
            columns={props.columns}
          />
        </>
      )}
      {rest > 0 && (
        <Button
          onClick={() => {
            shown.value += step;
          }}
        >
          {t.more(Math.min(rest, step))}
        </Button>
      )}
    </section>
  );
}
