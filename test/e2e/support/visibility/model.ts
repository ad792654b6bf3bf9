/**
 * A second implementation of the visibility of messages (messages.md §2.1 and §6), from the page only: the state is the
 * history of events, and each question is answered by the page's rules.
 */
export interface ModelUser {
  readonly id: number;
  isGuest: boolean;
}

export interface ModelChannel {
  readonly id: number;
  /** Whether the permission to subscribe is given to the team. */
  readonly opensToTeam: boolean;
  privacy: "web-public" | "public" | "private, shared" | "private, protected";
  isArchived: boolean;
  readonly subscribers: Set<number>;
}

export interface ModelMessage {
  readonly id: number;
  /** Undefined for direct messages. */
  readonly channel: ModelChannel | undefined;
  readonly topic: string;
  /** Its words among the searched ones. */
  readonly word: string;
  readonly receivedBy: ReadonlySet<number>;
}

export class VisibilityModel {
  readonly users: ModelUser[] = [];
  readonly channels: ModelChannel[] = [];
  readonly team = new Set<number>();
  messages: ModelMessage[] = [];

  /** Content access (channels.md §3). */
  reads(user: ModelUser, channel: ModelChannel): boolean {
    if (channel.privacy === "web-public") return true;
    if (channel.subscribers.has(user.id)) return true;
    if (user.isGuest) return false;
    if (channel.privacy === "public") return true;
    return channel.opensToTeam && this.team.has(user.id);
  }

  /** Without a widening term: received messages, except in channels that are no longer readable (§2.1). */
  personal(user: ModelUser): number[] {
    return this.#ids(
      ({ channel, receivedBy }) =>
        receivedBy.has(user.id) && (channel === undefined || this.reads(user, channel)),
    );
  }

  /** With a term that names the channel (§2.1, §2.2). */
  ofChannel(user: ModelUser, named: ModelChannel): number[] {
    if (!this.reads(user, named)) return [];
    return this.#ids(
      ({ channel, receivedBy }) =>
        channel === named && (this.#readsWhole(user, named) || receivedBy.has(user.id)),
    );
  }

  /** With `channels:public` (§2.1): shared history for all but guests. */
  ofPublicChannels(user: ModelUser): number[] {
    const isPublic = (channel: ModelChannel | undefined) =>
      channel?.privacy === "public" || channel?.privacy === "web-public";
    if (!user.isGuest) return this.#ids(({ channel }) => isPublic(channel));
    const own = new Set(this.personal(user));
    return this.#ids(({ id, channel }) => isPublic(channel) && own.has(id));
  }

  /** Access to one message (§6). */
  accesses(user: ModelUser, { channel, receivedBy }: ModelMessage): boolean {
    if (channel === undefined) return receivedBy.has(user.id);
    if (channel.privacy === "public" && !user.isGuest) return true;
    if (!this.reads(user, channel)) return false;
    return channel.privacy !== "private, protected" || receivedBy.has(user.id);
  }

  #readsWhole(user: ModelUser, channel: ModelChannel): boolean {
    if (channel.privacy === "web-public") return true;
    if (channel.privacy === "public" && !user.isGuest) return true;
    return channel.privacy !== "private, protected" && this.reads(user, channel);
  }

  #ids(visible: (message: ModelMessage) => boolean): number[] {
    return this.messages.filter(visible).map(({ id }) => id);
  }
}
