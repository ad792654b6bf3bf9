/** A site that a profile field of type 7 can be about. */
export interface ExternalAccount {
  /** What the site is called. */
  readonly text: string;
  /** What the field is called. */
  readonly name: string;
  readonly hint: string;
  /** An address with `%(username)s` in it; empty where accounts have none. */
  readonly url_pattern: string;
}

function account(text: string, url_pattern: string, options: Partial<ExternalAccount> = {}) {
  return { text, name: `${text} username`, hint: "", url_pattern, ...options };
}

/** By their subtypes, as `realm_default_external_accounts` (settings-and-profile-fields.md §2.4). */
export const externalAccounts: Readonly<Record<string, ExternalAccount>> = {
  behance: account("Behance", "https://www.behance.net/%(username)s"),
  bitbucket: account("Bitbucket", "https://bitbucket.org/%(username)s"),
  bluesky: account("Bluesky", "https://bsky.app/profile/%(username)s", {
    name: "Bluesky handle",
    hint: "Without the @, such as name.bsky.social",
  }),
  codeberg: account("Codeberg", "https://codeberg.org/%(username)s"),
  discord: account("Discord", ""),
  dribbble: account("Dribbble", "https://dribbble.com/%(username)s"),
  facebook: account("Facebook", "https://www.facebook.com/%(username)s"),
  github: account("GitHub", "https://github.com/%(username)s"),
  gitlab: account("GitLab", "https://gitlab.com/%(username)s"),
  instagram: account("Instagram", "https://www.instagram.com/%(username)s"),
  linkedin: account("LinkedIn", "https://www.linkedin.com/in/%(username)s"),
  mastodon: account("Mastodon", "%(username)s", {
    name: "Mastodon profile",
    hint: "Its whole address",
  }),
  medium: account("Medium", "https://medium.com/@%(username)s"),
  pinterest: account("Pinterest", "https://www.pinterest.com/%(username)s"),
  reddit: account("Reddit", "https://www.reddit.com/user/%(username)s"),
  snapchat: account("Snapchat", "https://www.snapchat.com/add/%(username)s"),
  threads: account("Threads", "https://www.threads.com/@%(username)s"),
  tiktok: account("TikTok", "https://www.tiktok.com/@%(username)s"),
  twitch: account("Twitch", "https://www.twitch.tv/%(username)s"),
  x: account("X", "https://x.com/%(username)s"),
  youtube: account("YouTube", "https://www.youtube.com/@%(username)s"),
};
