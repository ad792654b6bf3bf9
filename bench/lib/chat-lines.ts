// Parts of typical chat lines. Some lines have a mention, a link, emphasis, code or an emoji.
const openings = [
  "Good morning, here is the plan for today:",
  "Reminder:",
  "Quick question before lunch,",
  "As discussed yesterday,",
  "Heads up,",
  "For the notes:",
  "Please have a look when you can,",
  "Status:",
];
const middles = [
  "the deployment of the billing service moves to Thursday afternoon",
  "the agenda of the weekly meeting is complete and can be read by everybody",
  "we still need two reviewers for the change of the import job",
  "the customer has confirmed the second appointment next week",
  "somebody should water the plants on the third floor",
  "the numbers of the last quarter are in the shared folder now",
  "tests on the main branch are green again after the rollback",
  "the new colleagues arrive at nine and will need their badges",
];
const endings = [
  "thanks!",
  "let me know what you think.",
  "see you at 10:30.",
  "no action needed from your side.",
  "I will be back on Monday.",
  "questions are welcome in this topic.",
];
const accents: ReadonlyArray<(name: string, n: number) => string> = [
  () => "",
  (name) => ` cc @**${name}**`,
  (_name, n) => ` https://example.com/tickets/${n}`,
  () => "",
  (_name, n) => ` **Due on day ${n % 28}.**`,
  () => " :thumbs_up:",
  (_name, n) => ` See \`config.yaml:${n % 400}\``,
  (name) => ` _thank you_ @**${name}**`,
  () => "",
  (_name, n) => ` [the document](https://docs.example.com/d/${n})`,
];

/**
 * Returns chat line number `n`, 60 to 200 characters; the same arguments return the same line.
 * @param colleague a name to mention
 */
export function chatLine(n: number, colleague: string): string {
  const pick = <T>(list: readonly T[], step: number) => list[Math.floor(n / step) % list.length]!;
  const accent = pick(accents, 1)(colleague, n);
  return `${pick(openings, 3)} ${pick(middles, 5)}, ${pick(endings, 7)}${accent} (${n})`;
}
