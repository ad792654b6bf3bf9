import type { Snapshot } from "@carillon/client";
import { Keyed } from "./keyed.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** The settings of the organization, without the prefix `realm_`, and those of the account. */
export class Settings implements Area {
  readonly organization = new Keyed<string, unknown>();
  readonly own = new Keyed<string, unknown>();

  load(snapshot: Snapshot): void {
    this.organization.replace(
      Object.entries(snapshot)
        .filter(([name]) => /^(realm|max|server)_/.test(name))
        .map(([name, value]) => [name.replace(/^realm_/, ""), value]),
    );
    this.own.replace(Object.entries(snapshot["user_settings"] ?? {}));
  }

  apply(event: OrganizationEvent): void {
    if (event.type === "user_settings") this.own.set(event.property, event.value);
    if (event.type !== "realm") return;
    if (event.op === "update") this.organization.set(event.property, event.value);
    else if (event.op === "update_dict")
      for (const [name, value] of Object.entries(event.data)) this.organization.set(name, value);
  }

  get name(): string {
    const name = this.organization.get("name");
    return typeof name === "string" ? name : "";
  }
}
