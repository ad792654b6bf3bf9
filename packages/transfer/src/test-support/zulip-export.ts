import { roles } from "@carillon/contract";
import { createWriteStream } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

import { type Header, pack } from "tar-stream";

import { pixel } from "./pixel.ts";

type Rows = readonly object[];

const time = 1_700_000_000;

const user = (id: number, name: string, more: object = {}) => ({
  id,
  delivery_email: `${name.toLowerCase().replaceAll(" ", ".")}@example.com`,
  email: `user${id}@zulip.example.com`,
  full_name: name,
  role: roles.member,
  is_active: true,
  is_bot: false,
  bot_type: null,
  bot_owner: null,
  is_mirror_dummy: false,
  date_joined: time + 0.25,
  timezone: "Europe/Paris",
  email_address_visibility: 1,
  avatar_source: "G",
  enter_sends: true,
  translate_emoticons: true,
  color_scheme: 2,
  web_font_size_px: 0,
  notification_sound: "no sound of ours",
  ...more,
});

const named = (id: number, name: string, more: object = {}) => ({
  id,
  usergroup_ptr: id,
  name,
  description: "",
  is_system_group: false,
  deactivated: false,
  creator: null,
  date_created: null,
  ...more,
});

const scheduled = (id: number, recipient: number, more: object) => ({
  id,
  sender: 10,
  recipient,
  subject: "later",
  content: `scheduled ${id}`,
  sending_client: 1,
  delivery_type: 1,
  delivered: false,
  failed: false,
  failure_message: null,
  read_by_sender: true,
  ...more,
});

/** The tables of `realm.json` in the sample export. */
export const sampleRealm: Readonly<Record<string, Rows | string>> = {
  zerver_realm: [
    {
      id: 2,
      string_id: "acme",
      name: "Acme",
      description: "All of Acme",
      date_created: time,
      name_changes_disabled: true,
      message_content_edit_limit_seconds: null,
      default_language: "de",
      topics_policy: 2,
      can_create_public_channel_group: 30,
      digest_weekday: 3,
    },
  ],
  zerver_client: [{ id: 1, name: "website" }],
  zerver_userprofile: [
    user(10, "Ada Lovelace", { role: roles.owner, avatar_source: "U" }),
    user(11, "Bob Builder"),
    user(12, "Gerda Guest", { role: roles.guest }),
    user(13, "Hook Bot", { is_bot: true, bot_type: 2, bot_owner: 10 }),
    user(14, "Outgoing Bot", { is_bot: true, bot_type: 3, bot_owner: 10 }),
  ],
  zerver_userprofile_mirrordummy: [
    user(15, "Dora Dummy", { is_mirror_dummy: true, is_active: false }),
  ],
  zerver_userprofile_crossrealm: [
    { email: "notification-bot@zulip.com", id: 5, recipient_id: 105 },
  ],
  zerver_usergroup: [20, 21, 30, 31].map((id) => ({ id, realm: 2 })),
  zerver_namedusergroup: [
    named(20, "role:members", { is_system_group: true }),
    named(21, "role:nobody", { is_system_group: true }),
    named(30, "engineers", { description: "They build", creator: 10, can_mention_group: 31 }),
  ],
  zerver_usergroupmembership: [
    { id: 1, user_group: 20, user_profile: 10 },
    { id: 2, user_group: 30, user_profile: 11 },
    { id: 3, user_group: 31, user_profile: 10 },
  ],
  zerver_groupgroupmembership: [{ id: 1, supergroup: 31, subgroup: 30 }],
  zerver_realmdomain: [{ id: 1, domain: "example.com", allow_subdomains: true }],
  zerver_realmfilter: [
    { id: 1, pattern: "#(?P<id>[0-9]+)", url_template: "https://bugs.example/{id}", order: 1 },
    { id: 2, pattern: "x".repeat(251), url_template: "https://long.example/", order: 2 },
  ],
  zerver_realmemoji: [
    { id: 40, name: "party", file_name: "40.png", author: 11, deactivated: false },
    { id: 41, name: "lost", file_name: "41.png", author: 11, deactivated: false },
  ],
  zerver_customprofilefield: [
    {
      id: 50,
      name: "Phone",
      hint: "",
      field_type: 1,
      field_data: "",
      order: 1,
      editable_by_user: true,
    },
  ],
  zerver_customprofilefieldvalue: [{ id: 1, user_profile: 10, field: 50, value: "+49 30" }],
  zerver_channelfolder: [
    { id: 60, name: "Work", description: "", order: 0, creator: 10, is_archived: false },
  ],
  zerver_stream: [
    {
      id: 70,
      name: "general",
      description: "For all",
      date_created: time,
      creator: 10,
      invite_only: false,
      history_public_to_subscribers: true,
      is_web_public: false,
      deactivated: false,
      folder: 60,
      topics_policy: 1,
      can_send_message_group: 20,
    },
    {
      id: 71,
      name: "secret",
      description: "",
      date_created: time,
      invite_only: true,
      history_public_to_subscribers: false,
      deactivated: false,
    },
    {
      id: 72,
      name: "old",
      description: "",
      date_created: time,
      invite_only: false,
      history_public_to_subscribers: true,
      deactivated: true,
    },
  ],
  zerver_defaultstream: [{ id: 1, stream: 70 }],
  zerver_recipient: [
    { id: 110, type: 1, type_id: 10 },
    { id: 111, type: 1, type_id: 11 },
    { id: 170, type: 2, type_id: 70 },
    { id: 171, type: 2, type_id: 71 },
    { id: 172, type: 2, type_id: 72 },
    { id: 180, type: 3, type_id: 90 },
  ],
  zerver_subscription: [
    { id: 1, user_profile: 10, recipient: 110, active: true },
    {
      id: 2,
      user_profile: 10,
      recipient: 170,
      active: true,
      color: "#FF0000",
      is_muted: true,
      pin_to_top: true,
      push_notifications: null,
    },
    { id: 3, user_profile: 11, recipient: 170, active: true, color: "#00ff00" },
    { id: 4, user_profile: 12, recipient: 170, active: false, color: "red" },
    { id: 5, user_profile: 10, recipient: 171, active: true },
    { id: 6, user_profile: 10, recipient: 180, active: true },
    { id: 7, user_profile: 11, recipient: 180, active: true },
    { id: 8, user_profile: 12, recipient: 180, active: true },
    { id: 9, user_profile: 99, recipient: 170, active: true },
  ],
  zerver_alertword: [{ id: 1, user_profile: 10, word: "Lunch" }],
  zerver_navigationview: [
    { id: 1, user: 10, fragment: "narrow/is/starred", is_pinned: true, name: null },
  ],
  zerver_savedsnippet: [
    { id: 1, user_profile: 10, title: "Hi", content: "Hello **there**", date_created: time },
  ],
  zerver_usertopic: [
    {
      id: 1,
      user_profile: 10,
      stream: 70,
      recipient: 170,
      topic_name: "lunch",
      visibility_policy: 3,
      last_updated: time,
    },
  ],
  zerver_muteduser: [{ id: 1, user_profile: 10, muted_user: 12, date_muted: time }],
  zerver_userstatus: [
    {
      id: 1,
      user_profile: 11,
      status_text: "away",
      emoji_name: "party",
      emoji_code: "40",
      reaction_type: "realm_emoji",
      timestamp: time,
    },
    {
      id: 2,
      user_profile: 10,
      status_text: "",
      emoji_name: "",
      emoji_code: "",
      reaction_type: "unicode_emoji",
      timestamp: time,
    },
  ],
  zerver_realmuserdefault: [
    { id: 1, realm: 2, enter_sends: true, color_scheme: 9, enable_sounds: false },
  ],
  zerver_scheduledmessage: [
    scheduled(90, 170, { scheduled_timestamp: 4_000_000_000 }),
    scheduled(91, 111, { scheduled_timestamp: 4_000_000_001.5 }),
    scheduled(92, 170, { scheduled_timestamp: time }),
    scheduled(93, 170, { scheduled_timestamp: time, delivered: true }),
  ],
  zerver_useractivity: [{ id: 1 }],
  zerver_reaction: [
    {
      id: 2,
      user_profile: 10,
      message: 1001,
      emoji_name: "party",
      emoji_code: "40",
      reaction_type: "realm_emoji",
    },
    {
      id: 1,
      user_profile: 11,
      message: 1000,
      emoji_name: "+1",
      emoji_code: "1f44d",
      reaction_type: "unicode_emoji",
    },
    {
      id: 3,
      user_profile: 11,
      message: 1001,
      emoji_name: "lost",
      emoji_code: "41",
      reaction_type: "realm_emoji",
    },
  ],
  import_source: "zulip",
};

const message = (
  id: number,
  sender: number,
  recipient: number,
  content: string,
  more: object = {},
) => ({
  id,
  sender,
  recipient,
  realm: 2,
  subject: "lunch",
  content,
  rendered_content: "<p>ignored</p>",
  date_sent: time + id + 0.123456,
  sending_client: 1,
  last_edit_time: null,
  edit_history: null,
  ...more,
});

const copy = (message_: number, user_profile: number, flags_mask: number) => ({
  id: message_ * 100 + user_profile,
  user_profile,
  message: message_,
  flags_mask,
});

/** The files `messages-NNNNNN.json` of the sample export. */
export const sampleMessages: readonly Readonly<Record<string, Rows>>[] = [
  {
    zerver_message: [
      message(1000, 10, 170, "Who is hungry? @**Bob Builder|11**"),
      message(1001, 11, 170, "Me: [menu.txt](/user_uploads/2/ab/cd/menu.txt) :party:", {
        last_edit_time: time + 2000,
        edit_history: JSON.stringify([
          {
            user_id: 11,
            timestamp: time + 2000,
            prev_content: "Mee",
            prev_rendered_content: "<p>Mee</p>",
            prev_rendered_content_version: 1,
          },
        ]),
      }),
    ],
    zerver_usermessage: [
      copy(1000, 10, 1 | 2),
      copy(1000, 11, 8),
      copy(1001, 10, 1 | 512 | 1024),
      copy(1001, 11, 1),
      copy(1001, 99, 1),
    ],
  },
  {
    zerver_message: [
      message(1002, 11, 110, "just you", { subject: "\u0007" }),
      message(1003, 10, 180, "all three", { subject: "" }),
      message(1004, 5, 170, "a notice", { subject: "" }),
      message(1005, 98, 170, "from nobody"),
      message(1006, 10, 999, "to nowhere"),
    ],
    zerver_usermessage: [copy(1002, 10, 2048), copy(1002, 11, 1 | 2048), copy(1003, 12, 2048)],
  },
];

export interface SampleZulip {
  readonly realm?: Readonly<Record<string, unknown>>;
  readonly messages?: readonly object[];
  /** Additional entries of the tarball, after the usual ones. */
  readonly extra?: readonly {
    readonly header: Partial<Header> & { readonly name: string };
    readonly content?: string | Buffer;
  }[];
}

/** Writes an export of Zulip and returns the path of the tarball. */
export async function writeZulipExport(sample: SampleZulip = {}): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "zulip-export-")), "zulip-export.tar.gz");
  const tar = pack();
  const writing = pipeline(tar, createGzip(), createWriteStream(path));
  const add = (name: string, content: string | Buffer) =>
    new Promise<void>((resolve, reject) =>
      tar.entry({ name: `zulip-export-x1/${name}` }, content, (error) =>
        error ? reject(error) : resolve(),
      ),
    );
  await add("realm.json", JSON.stringify(sample.realm ?? sampleRealm, undefined, 2));
  for (const [index, file] of (sample.messages ?? sampleMessages).entries())
    await add(`messages-${String(index + 1).padStart(6, "0")}.json`, JSON.stringify(file));
  await add(
    "attachment.json",
    JSON.stringify({
      zerver_attachment: [
        {
          id: 80,
          file_name: "menu.txt",
          path_id: "2/ab/cd/menu.txt",
          owner: 11,
          create_time: time,
          size: 4,
          content_type: "text/plain",
          messages: [1001],
        },
        {
          id: 81,
          file_name: "gone.txt",
          path_id: "2/ab/ef/gone.txt",
          owner: 11,
          create_time: time,
          size: 4,
          content_type: "text/plain",
          messages: [],
        },
      ],
    }),
  );
  await add("uploads/2/ab/cd/menu.txt", "soup");
  await add(
    "avatars/records.json",
    JSON.stringify([
      { path: "2/x.png", user_profile_id: 10 },
      { path: "2/x.original", user_profile_id: 10 },
    ]),
  );
  await add("avatars/2/x.png", "small");
  await add("avatars/2/x.original", pixel);
  await add("emoji/2/emoji/images/40.png", pixel);
  for (const { header, content } of sample.extra ?? [])
    await new Promise<void>((resolve, reject) =>
      tar.entry(header, content ?? "", (error) => (error ? reject(error) : resolve())),
    );
  tar.finalize();
  await writing;
  return path;
}
