import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type ZipEntry, zipFile } from "./zip-file.ts";

const person = (id: string, name: string, more: object = {}) => ({
  id,
  team_id: "T1",
  name,
  deleted: false,
  real_name: name,
  tz: "Europe/Berlin",
  profile: {
    real_name: name,
    display_name: name.toLowerCase(),
    email: `${id.toLowerCase()}@example.com`,
  },
  ...more,
});

/** People of the sample export. */
export const sampleUsers: readonly object[] = [
  person("U0ADA", "Ada Lovelace", { is_primary_owner: true, is_owner: true, is_admin: true }),
  person("U0BOB", "Bob"),
  person("U0GUEST", "Gerda Guest", { is_restricted: true }),
  person("U0GONE", "Gone Guy", { deleted: true }),
  person("U0NOMAIL", "No Mail", { profile: { real_name: "No Mail" } }),
  person("U0BOT", "Deploy Bot", { is_bot: true, profile: { real_name: "Deploy Bot" } }),
];

export const sampleChannels: readonly object[] = [
  {
    id: "C0GEN",
    name: "general",
    created: 1_600_000_000,
    creator: "U0ADA",
    is_general: true,
    members: ["U0ADA", "U0BOB", "U0GUEST", "U0NOMAIL"],
    topic: { value: "Everything &amp; more" },
    purpose: { value: "For everybody" },
    pins: [{ id: "1600000100.000100", type: "C" }],
  },
  {
    id: "C0OLD",
    name: "old-project",
    created: 1_600_000_001,
    is_archived: true,
    members: ["U0ADA"],
  },
];

export const samplePrivate: readonly object[] = [
  { id: "G0SEC", name: "secret", created: 1_600_000_002, members: ["U0ADA", "U0BOB"] },
];

/** Content of a day's files: messages by the folder of their conversation. */
export type Day = Readonly<Record<string, readonly unknown[]>>;

export interface SampleExport {
  readonly users?: readonly unknown[];
  readonly channels?: readonly unknown[];
  readonly groups?: readonly unknown[];
  readonly dms?: readonly unknown[];
  readonly mpims?: readonly unknown[];
  readonly days?: Readonly<Record<string, Day>>;
  readonly extra?: readonly ZipEntry[];
}

/** Returns the files of an export of Slack. */
export function slackEntries(sample: SampleExport): ZipEntry[] {
  const json = (name: string, value: unknown): ZipEntry => ({
    name,
    content: JSON.stringify(value),
  });
  return [
    json("users.json", sample.users ?? sampleUsers),
    json("channels.json", sample.channels ?? sampleChannels),
    json("groups.json", sample.groups ?? samplePrivate),
    json("dms.json", sample.dms ?? [{ id: "D0AB", created: 1, members: ["U0ADA", "U0BOB"] }]),
    json(
      "mpims.json",
      sample.mpims ?? [
        { id: "G0MP", name: "mpdm-ada--bob--gerda-1", members: ["U0ADA", "U0BOB", "U0GUEST"] },
      ],
    ),
    ...Object.entries(sample.days ?? {}).flatMap(([day, folders]) =>
      Object.entries(folders).map(([folder, messages]) => json(`${folder}/${day}.json`, messages)),
    ),
    ...(sample.extra ?? []),
  ];
}

/** Writes an export of Slack into a new folder and returns the path of the zip file. */
export async function writeSlackExport(sample: SampleExport): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slack-export-"));
  const path = join(folder, "Acme Slack export Jan 1 2024 - Feb 1 2024.zip");
  await writeFile(path, zipFile(slackEntries(sample)));
  return path;
}
