import * as z from "zod";

import { commit, pushed, readRef, shownCommits } from "../commits.ts";
import { link, linkTo, plain, plainLine, quote, topicText } from "../foreign-text.ts";
import { format, integration, type WebhookMessage } from "../integration.ts";
import { firstOf, maybeText } from "../shapes.ts";
import { githubSignature } from "../signature.ts";
import { branches } from "../url-options.ts";

const about = {
  sender: z.object({ login: z.string() }),
  repository: z.object({ name: z.string(), full_name: z.string() }),
};

const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: maybeText,
});

const issue = pullRequest.extend({ pull_request: z.unknown().optional() });

type Repository = z.output<typeof about.repository>;
type Numbered = z.output<typeof pullRequest>;

const pullRequestTopic = ({ name }: Repository, { number, title }: Numbered) =>
  topicText(`${name} / PR #${number} ${title}`);
const issueTopic = ({ name }: Repository, { number, title }: Numbered) =>
  topicText(`${name} / issue #${number} ${title}`);
const pullRequestLink = ({ number, title, html_url: url }: Numbered) =>
  linkTo(`PR #${number} ${plain(title)}`, url);
const issueLink = ({ number, title, html_url: url }: Numbered) =>
  linkTo(`issue #${number} ${plain(title)}`, url);

const push = format(
  z.object({
    ...about,
    ref: z.string(),
    compare: maybeText,
    created: z.boolean().default(true),
    deleted: z.boolean().default(false),
    forced: z.boolean().default(false),
    commits: z
      .array(z.unknown())
      .default([])
      .transform((all) => ({ count: all.length, shown: all }))
      .pipe(z.object({ count: z.int(), shown: firstOf(commit, shownCommits) })),
  }),
  ({ sender, repository, ref, compare, created, deleted, forced, commits }, { branches }) => {
    const login = plainLine(sender.login);
    const { kind, name } = readRef(ref) ?? {};
    if (kind === undefined || name === undefined) return [];
    if (kind === "tag")
      return [
        {
          topic: topicText(repository.name),
          content: `${login} ${deleted ? "deleted" : "pushed"} tag ${plain(name)}.`,
        },
      ];
    if (branches && !branches.includes(name)) return [];
    const verb = linkTo(forced ? "force-pushed" : "pushed", compare);
    const branch = plain(name);
    const contentOf = () => {
      if (commits.count > 0)
        return pushed({
          who: sender.login,
          verb,
          branch: name,
          count: commits.count,
          commits: commits.shown,
        });
      if (deleted) return `${login} deleted branch ${branch}.`;
      if (forced) return `${login} ${verb} branch ${branch}.`;
      return created ? `${login} created branch ${branch}.` : undefined;
    };
    const content = contentOf();
    if (content === undefined) return [];
    return [{ topic: topicText(`${repository.name} / ${name}`), content }];
  },
);

const pullRequests = format(
  z.object({
    ...about,
    action: z.string(),
    pull_request: pullRequest.extend({
      merged: z.boolean().nullish(),
      head: z.object({ ref: z.string() }),
      base: z.object({ ref: z.string() }),
    }),
  }),
  ({ sender, repository, action, pull_request: pr }) => {
    const login = plainLine(sender.login);
    const linked = pullRequestLink(pr);
    const into = plain(pr.base.ref);
    const contents: Readonly<Record<string, string>> = {
      opened: `${login} opened ${linked} from ${plain(pr.head.ref)} into ${into}.${quote(pr.body)}`,
      reopened: `${login} reopened ${linked}.`,
      synchronize: `${login} updated ${linked}.`,
      ready_for_review: `${login} marked ${linked} as ready for review.`,
      closed: pr.merged
        ? `${login} merged ${linked} into ${into}.`
        : `${login} closed ${linked} without merging.`,
    };
    return oneMessage(pullRequestTopic(repository, pr), contents, action);
  },
);

const reviewVerbs: Readonly<Record<string, string>> = {
  approved: "approved",
  changes_requested: "requested changes to",
  commented: "reviewed",
};

const reviews = format(
  z.object({
    ...about,
    action: z.string(),
    pull_request: pullRequest,
    review: z.object({ state: z.string(), html_url: z.string(), body: maybeText }),
  }),
  ({ sender, repository, action, pull_request: pr, review }) => {
    const verb = Object.hasOwn(reviewVerbs, review.state) ? reviewVerbs[review.state] : undefined;
    if (action !== "submitted" || verb === undefined) return [];
    return [
      {
        topic: pullRequestTopic(repository, pr),
        content: `${plainLine(sender.login)} ${linkTo(verb, review.html_url)} ${pullRequestLink(pr)}.${quote(review.body)}`,
      },
    ];
  },
);

const issues = format(
  z.object({ ...about, action: z.string(), issue }),
  ({ sender, repository, action, issue: one }) => {
    const login = plainLine(sender.login);
    const linked = issueLink(one);
    const contents = {
      opened: `${login} opened ${linked}.${quote(one.body)}`,
      closed: `${login} closed ${linked}.`,
      reopened: `${login} reopened ${linked}.`,
    };
    return oneMessage(issueTopic(repository, one), contents, action);
  },
);

const issueComments = format(
  z.object({
    ...about,
    action: z.string(),
    issue,
    comment: z.object({ html_url: z.string(), body: maybeText }),
  }),
  ({ sender, repository, action, issue: one, comment }) => {
    if (action !== "created") return [];
    const isPullRequest = Boolean(one.pull_request);
    const commented = linkTo("commented", comment.html_url);
    const linked = isPullRequest ? pullRequestLink(one) : issueLink(one);
    return [
      {
        topic: (isPullRequest ? pullRequestTopic : issueTopic)(repository, one),
        content: `${plainLine(sender.login)} ${commented} on ${linked}.${quote(comment.body)}`,
      },
    ];
  },
);

const releases = format(
  z.object({
    ...about,
    action: z.string(),
    release: z.object({
      name: maybeText,
      tag_name: z.string(),
      html_url: z.string(),
      body: maybeText,
    }),
  }),
  ({ sender, repository, action, release }) => {
    if (action !== "published") return [];
    const linked = link(release.name || release.tag_name, release.html_url);
    return [
      {
        topic: topicText(repository.name),
        content: `${plainLine(sender.login)} published release ${linked}.${quote(release.body)}`,
      },
    ];
  },
);

const workflowRuns = format(
  z.object({
    repository: about.repository,
    action: z.string(),
    workflow_run: z.object({
      name: maybeText,
      run_number: z.int(),
      html_url: z.string(),
      head_branch: maybeText,
      conclusion: maybeText,
    }),
  }),
  ({ repository, action, workflow_run: run }) => {
    if (action !== "completed") return [];
    const branch = run.head_branch ?? "";
    const linked = linkTo(`${plain(run.name ?? "")} #${run.run_number}`.trimStart(), run.html_url);
    const outcome =
      run.conclusion === "success"
        ? `✅ ${linked} succeeded`
        : run.conclusion === "failure"
          ? `❌ ${linked} failed`
          : `⚪ ${linked} ended as ${plain(run.conclusion ?? "unknown")}`;
    return [
      {
        topic: topicText(`${repository.name} / ${branch}`),
        content: `${outcome} on ${plain(branch)}.`,
      },
    ];
  },
);

const ping = format(
  z.object({
    repository: about.repository.nullish(),
    organization: z.object({ login: z.string() }).nullish(),
  }),
  ({ repository, organization }) => {
    const name = repository?.full_name ?? organization?.login ?? "an app";
    return [
      {
        topic: topicText(repository?.name ?? organization?.login ?? "GitHub"),
        content: `GitHub is connected to ${plain(name)}.`,
      },
    ];
  },
);

const formats = {
  push,
  pull_request: pullRequests,
  pull_request_review: reviews,
  issues,
  issue_comment: issueComments,
  release: releases,
  workflow_run: workflowRuns,
  ping,
};

/** Webhooks of GitHub repositories and organizations (bot-platform.md §1.4). */
export default integration({
  name: "github",
  label: "GitHub",
  events: Object.keys(formats),
  eventHeader: "X-GitHub-Event",
  formats,
  signature: githubSignature,
  urlOptions: [branches],
});

/** Returns the message for the action; none for an action without one. */
function oneMessage(
  topic: string,
  contents: Readonly<Record<string, string>>,
  action: string,
): WebhookMessage[] {
  const content = Object.hasOwn(contents, action) ? contents[action] : undefined;
  return content === undefined ? [] : [{ topic, content }];
}
