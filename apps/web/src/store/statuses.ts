import type { Snapshot, Status } from "@carillon/client";
import { Keyed } from "./keyed.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** The statuses of people, such as "on holiday". */
export class Statuses implements Area {
  readonly #byUser = new Keyed<number, Status>();

  load({ user_status: statuses = {} }: Snapshot): void {
    this.#byUser.replace(Object.entries(statuses).map(([id, status]) => [Number(id), status]));
  }

  apply(event: OrganizationEvent): void {
    if (event.type !== "user_status") return;
    const { user_id, type: _, id: __, ...changes } = event;
    this.#byUser.set(user_id, { ...this.#byUser.get(user_id), ...changes });
  }

  textOf(id: number): string {
    return this.#byUser.get(id)?.status_text ?? "";
  }
}
