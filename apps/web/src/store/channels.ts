import type { Channel, ChannelFolder, Snapshot, SnapshotLists } from "@carillon/client";
import { Keyed } from "./keyed.ts";
import type { Area, OrganizationEvent } from "./events.ts";

export type Subscription = NonNullable<SnapshotLists["subscriptions"]>[number];

/** The channels that the account can see, its subscriptions, and the folders. */
export class Channels implements Area {
  readonly byId = new Keyed<number, Channel>();
  readonly subscriptions = new Keyed<number, Subscription>();
  readonly folders = new Keyed<number, ChannelFolder>();

  load({ streams = [], subscriptions = [], channel_folders: folders = [] }: Snapshot): void {
    this.byId.replace(
      [...streams, ...subscriptions].map((channel) => [channel.stream_id, channel]),
    );
    this.subscriptions.replace(subscriptions.map((one) => [one.stream_id, one]));
    this.folders.replace(folders.map((folder) => [folder.id, folder]));
  }

  apply(event: OrganizationEvent): void {
    if (event.type === "stream") this.#applyToChannel(event);
    else if (event.type === "subscription") this.#applyToSubscription(event);
    else if (event.type === "channel_folder") this.#applyToFolder(event);
  }

  nameOf(id: number): string | undefined {
    return this.byId.get(id)?.name;
  }

  #applyToChannel(event: Extract<OrganizationEvent, { type: "stream" }>): void {
    if (event.op === "create")
      for (const channel of event.streams) this.byId.set(channel.stream_id, channel);
    else if (event.op === "delete")
      for (const id of event.stream_ids) {
        this.byId.delete(id);
        this.subscriptions.delete(id);
      }
    else {
      const { stream_id, property, value, type: _, op: __, id: ___, name: ____, ...more } = event;
      const changes = { [property]: value, ...more } as Partial<Channel>;
      this.byId.patch(stream_id, changes);
      this.subscriptions.patch(stream_id, changes);
    }
  }

  #applyToSubscription(event: Extract<OrganizationEvent, { type: "subscription" }>): void {
    switch (event.op) {
      case "add":
        for (const one of event.subscriptions) {
          this.subscriptions.set(one.stream_id, one);
          this.byId.set(one.stream_id, one);
        }
        break;
      case "remove":
        for (const { stream_id } of event.subscriptions) this.subscriptions.delete(stream_id);
        break;
      case "update":
        this.subscriptions.patch(event.stream_id, { [event.property]: event.value });
        break;
      default:
      // Other people's subscriptions are asked for when a view shows them.
    }
  }

  #applyToFolder(event: Extract<OrganizationEvent, { type: "channel_folder" }>): void {
    if (event.op === "add") this.folders.set(event.channel_folder.id, event.channel_folder);
    else if (event.op === "update") this.folders.patch(event.channel_folder_id, event.data);
    else for (const [order, id] of event.order.entries()) this.folders.patch(id, { order });
  }
}
