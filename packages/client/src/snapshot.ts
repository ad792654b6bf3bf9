import type {
  Bot,
  Channel,
  ChannelFolder,
  Domain,
  Draft,
  Emoji,
  Linkifier,
  MessageSeries,
  NavigationView,
  ProfileField,
  RegisterResult,
  Reminder,
  SavedSnippet,
  ScheduledMessage,
  Status,
  SubscriptionsAddedEvent,
  User,
  UserGroup,
} from "./generated/api.ts";

/** An account without `is_active`, which its list implies. */
type ListedUser = Omit<User, "is_active">;

type Subscription = SubscriptionsAddedEvent["subscriptions"][number];

/**
 * The lists of a snapshot. Each is present if its section was requested (events.md §1.2). Later events have elements of the
 * same types.
 */
export interface SnapshotLists {
  alert_words?: string[];
  channel_folders?: ChannelFolder[];
  custom_profile_fields?: ProfileField[];
  drafts?: Draft[];
  /** The newest message that the account can read; −1 without one. */
  max_message_id?: number;
  message_series?: MessageSeries[];
  navigation_views?: NavigationView[];
  never_subscribed?: Channel[];
  realm_bots?: Bot[];
  realm_domains?: Domain[];
  /** By id. */
  realm_emoji?: Record<string, Emoji>;
  realm_linkifiers?: Linkifier[];
  realm_user_groups?: UserGroup[];
  realm_users?: ListedUser[];
  realm_non_active_users?: ListedUser[];
  reminders?: Reminder[];
  saved_snippets?: SavedSnippet[];
  scheduled_messages?: ScheduledMessage[];
  streams?: Channel[];
  subscriptions?: Subscription[];
  unsubscribed?: Subscription[];
  /** By the id of the user. */
  user_status?: Record<string, Status>;
}

/** The answer of `POST /register` to a client with all capabilities. Sections that are not lists are further fields. */
export type Snapshot = RegisterResult & SnapshotLists;
