import * as z from "zod";

import { commit, pushed, readRef, shownCommits } from "../commits.ts";
import { linkTo, plain, plainLine, quote, topicText } from "../foreign-text.ts";
import { format, integration, type WebhookMessage } from "../integration.ts";
import { firstOf, maybeText } from "../shapes.ts";
import { gitlabToken } from "../signature.ts";
import { branches } from "../url-options.ts";

const project = z.object({ name: z.string(), web_url: z.string() });
const user = z.object({ username: z.string() });

/** The commit of a reference that does not exist. */
const nothing = /^0+$/;

const pushShape = z.object({
  user_username: z.string(),
  project,
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  total_commits_count: z.int().min(0).default(0),
  commits: firstOf(commit, shownCommits).default([]),
});

const push = format(pushShape, (payload, { branches }) => {
  const { user_username: username, project: of, total_commits_count: count } = payload;
  const branch = readRef(payload.ref);
  if (branch?.kind !== "branch" || (branches && !branches.includes(branch.name))) return [];
  const who = plainLine(username);
  const contentOf = () => {
    if (nothing.test(payload.after)) return `${who} deleted branch ${plain(branch.name)}.`;
    if (count > 0) {
      const { commits } = payload;
      return pushed({ who: username, verb: "pushed", branch: branch.name, count, commits });
    }
    return nothing.test(payload.before)
      ? `${who} created branch ${plain(branch.name)}.`
      : undefined;
  };
  const content = contentOf();
  return content === undefined
    ? []
    : [{ topic: topicText(`${of.name} / ${branch.name}`), content }];
});

const tagPush = format(pushShape, ({ user_username: username, project: of, ref, after }) => {
  const tag = readRef(ref);
  if (tag?.kind !== "tag") return [];
  const verb = nothing.test(after) ? "deleted" : "pushed";
  return [
    {
      topic: topicText(of.name),
      content: `${plainLine(username)} ${verb} tag ${plain(tag.name)}.`,
    },
  ];
});

interface Numbered {
  readonly iid: number;
  readonly title: string;
}

type Project = z.output<typeof project>;

const mergeRequestTopic = ({ name }: Project, { iid, title }: Numbered) =>
  topicText(`${name} / MR #${iid} ${title}`);
const issueTopic = ({ name }: Project, { iid, title }: Numbered) =>
  topicText(`${name} / issue #${iid} ${title}`);
const mergeRequestLink = ({ iid, title }: Numbered, url: string) =>
  linkTo(`MR !${iid} ${plain(title)}`, url);
const issueLink = ({ iid, title }: Numbered, url: string) =>
  linkTo(`issue #${iid} ${plain(title)}`, url);

const numbered = z.object({ iid: z.int(), title: z.string() });

/** Actions on merge requests and issues that make messages; other actions make none. */
const reportedActions = new Set(["open", "close", "reopen", "merge"]);

const mergeRequests = format(
  z.object({
    user,
    project,
    object_attributes: numbered.extend({
      url: z.string(),
      action: maybeText,
      source_branch: z.string(),
      target_branch: z.string(),
      description: maybeText,
    }),
  }),
  ({ user: by, project: of, object_attributes: mr }) => {
    const who = plainLine(by.username);
    const linked = mergeRequestLink(mr, mr.url);
    const into = plain(mr.target_branch);
    return messagesOf("Merge Request Hook", mr.action, mergeRequestTopic(of, mr), {
      open: `${who} opened ${linked} from ${plain(mr.source_branch)} into ${into}.${quote(mr.description)}`,
      close: `${who} closed ${linked}.`,
      reopen: `${who} reopened ${linked}.`,
      merge: `${who} merged ${linked} into ${into}.`,
    });
  },
);

const issues = format(
  z.object({
    user,
    project,
    object_attributes: numbered.extend({
      url: z.string(),
      action: maybeText,
      description: maybeText,
    }),
  }),
  ({ user: by, project: of, object_attributes: issue }) => {
    const who = plainLine(by.username);
    const linked = issueLink(issue, issue.url);
    return messagesOf("Issue Hook", issue.action, issueTopic(of, issue), {
      open: `${who} opened ${linked}.${quote(issue.description)}`,
      close: `${who} closed ${linked}.`,
      reopen: `${who} reopened ${linked}.`,
    });
  },
);

const notes = format(
  z.object({
    user,
    project,
    object_attributes: z.object({ note: z.string(), url: z.string() }),
    merge_request: numbered.extend({ url: maybeText }).nullish(),
    issue: numbered.extend({ url: maybeText }).nullish(),
  }),
  ({ user: by, project: of, object_attributes: note, merge_request: mr, issue }) => {
    const commented = `${plainLine(by.username)} ${linkTo("commented", note.url)} on`;
    // The URL of a comment is the URL of its subject with a fragment.
    const [page = ""] = note.url.split("#", 1);
    if (mr) {
      const content = `${commented} ${mergeRequestLink(mr, mr.url ?? page)}.${quote(note.note)}`;
      return [{ topic: mergeRequestTopic(of, mr), content }];
    }
    if (!issue) return [];
    const content = `${commented} ${issueLink(issue, issue.url ?? page)}.${quote(note.note)}`;
    return [{ topic: issueTopic(of, issue), content }];
  },
);

const pipelines = format(
  z.object({
    project,
    object_attributes: z.object({ id: z.int(), ref: z.string(), status: z.string() }),
  }),
  ({ project: of, object_attributes: { id, ref, status } }) => {
    if (status !== "success" && status !== "failed") return [];
    const linked = linkTo(`Pipeline #${id}`, `${of.web_url}/-/pipelines/${id}`);
    const branch = plain(ref);
    return [
      {
        topic: topicText(`${of.name} / ${ref}`),
        content:
          status === "success"
            ? `✅ ${linked} passed on ${branch}.`
            : `❌ ${linked} failed on ${branch}.`,
      },
    ];
  },
);

/** Webhooks of GitLab projects and groups (bot-platform.md §1.4). */
export default integration({
  name: "gitlab",
  label: "GitLab",
  events: [
    "Push Hook",
    "Tag Push Hook",
    ...["open", "close", "reopen"].map((action) => `Issue Hook ${action}`),
    ...[...reportedActions].map((action) => `Merge Request Hook ${action}`),
    "Note Hook",
    "Pipeline Hook",
  ],
  urlOptions: [branches],
  eventHeader: "X-Gitlab-Event",
  formats: {
    "Push Hook": push,
    "Tag Push Hook": tagPush,
    "Issue Hook": issues,
    "Merge Request Hook": mergeRequests,
    "Note Hook": notes,
    "Pipeline Hook": pipelines,
  },
  signature: gitlabToken,
});

/** Returns the message for the action, with the event that names both; none for an action without one. */
function messagesOf(
  hook: string,
  action: string | null | undefined,
  topic: string,
  contents: Readonly<Record<string, string>>,
): WebhookMessage[] {
  if (action == null || !reportedActions.has(action)) return [];
  const content = contents[action];
  return content === undefined ? [] : [{ event: `${hook} ${action}`, topic, content }];
}
