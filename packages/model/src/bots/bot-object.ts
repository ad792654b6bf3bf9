/** The channels that a bot is made for, by name, as clients are told. */
export interface BotDefaults {
  readonly default_sending_stream: string | null;
  readonly default_events_register_stream: string | null;
  readonly default_all_public_streams: boolean;
}
