import type { Database, Prisma } from "@carillon/db";
import { unique } from "./unique.ts";

/**
 * Creates a custom profile field at the end of the order, without events; short text unless the row overrides it.
 * @returns its id and name
 */
export async function profileField(
  db: Database,
  realm: { readonly id: number },
  row: Partial<Prisma.CustomProfileFieldUncheckedCreateInput> = {},
): Promise<{ id: number; name: string }> {
  const order = await db.prisma.customProfileField.count({ where: { realmId: realm.id } });
  return db.prisma.customProfileField.create({
    data: {
      name: unique("field"),
      hint: "",
      fieldType: 1,
      fieldData: "",
      order,
      displayInProfileSummary: false,
      required: false,
      editableByUser: true,
      useForUserMatching: false,
      ...row,
      realmId: realm.id,
    },
    select: { id: true, name: true },
  });
}
