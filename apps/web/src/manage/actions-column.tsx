import { texts } from "../texts.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import type { Column } from "../ui/table.tsx";

const t = texts.organization;

/**
 * Makes the column with the menu of each row.
 * @param nameOf the name of a row, for the button's label
 * @param itemsOf what can be done with a row; a row without items has no menu
 */
export function actionsColumn<Row>(
  nameOf: (row: Row) => string,
  itemsOf: (row: Row) => readonly MenuItem[],
): Column<Row> {
  return {
    title: t.actions,
    cell: (row) => {
      const items = itemsOf(row);
      if (items.length === 0) return null;
      return (
        <Menu label={t.actionsOf(nameOf(row))} items={items}>
          ⋯
        </Menu>
      );
    },
  };
}
