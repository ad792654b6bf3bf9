import { oneOf } from "@carillon/testkit";

const split = (text: string): string[] => text.split(" ¦ ");

/** Fragments without TeX whose combinations might inject HTML. */
export const hostileFragments: readonly string[] = [
  ..."*_~`#>-+|[](){}<>&\"'!@:;\\/=.,?^%\n\n\n\t ".split(""),
  ...split(
    "** ¦ *** ¦ ~~ ¦ `` ¦ ``` ¦ \n```\n ¦ \n~~~\n ¦ \n>  ¦ \n*  ¦ \n1.  ¦ \n   ¦ \n     ¦ \n#  ¦ \n---\n",
  ),
  ...split(
    '\n```quote\n ¦ \n```spoiler  ¦ \n```"><script>\n ¦ \n```py x=y\n ¦ \n|a|b|\n|-|:-:|\n|',
  ),
  ...split(
    "\n~~~spoiler <b>\n ¦ <script>alert(1)</script> ¦ <img src=x onerror=alert(1)> ¦ <svg/onload=x>",
  ),
  ...split(
    "<a href='javascript:alert(1)'> ¦ <!-- ¦ --> ¦ ]]> ¦ [a](javascript:alert(1)) ¦ [a](vbscript:x)",
  ),
  ...split(
    "[a](JAVASCRIPT&colon;alert(1)) ¦ [a](&#x6A;avascript:x) ¦ [a](data:text/html,<b>) ¦ [a]( ¦ ](",
  ),
  ...split(
    '![a]( ¦ ](https://x.org " ¦ ](</a ¦ https://x.org/ ¦ http://a.b/"onclick=x ¦ http://a.b/\'><b>',
  ),
  ...split(
    "example.com ¦ a@b.org ¦ java\nscript: ¦ javascript://x.org/%0aalert(1) ¦ //evil.org ¦ @**all**",
  ),
  ...split(
    '@_**topic** ¦ @**Grace <Hopper>** ¦ @**<b>** ¦ @**|6** ¦ @*backend* ¦ @*"x* ¦ #**name** ¦ #**name>',
  ),
  ...split(
    '<b>** ¦ #**name>" onclick=x** ¦ #**a.b (c) *> ¦ @214** ¦ :smile: ¦ :party_parrot: ¦ :zulip: ¦ :">:',
  ),
  ...split("🙂 ¦ 👍🏽 ¦ 👨‍👩‍👧 ¦ 1️⃣ ¦ \u200d ¦ \ufe0f ¦ \ud83d ¦ \udc4d ¦ \u0000 ¦ \u202e ¦ \r ¦ \u2028"),
  ...split(
    '<time:2024-03-07> ¦ <time:"x"> ¦ <time:<b>> ¦ &amp; ¦ &lt; ¦ &#60; ¦ &#x3c; ¦ &#0; ¦ &quot; ¦ &bogus;',
  ),
  ...split("on= ¦ style=x ¦ :) ¦ <3"),
];

/** Combines up to `most` of the fragments, some followed by a letter. */
export function compose(random: () => number, most: number): string {
  const count = 1 + Math.floor(random() * most);
  return Array.from({ length: count }, () => {
    const fragment = oneOf(random, hostileFragments);
    return random() < 0.3 ? `${fragment}a` : fragment;
  }).join("");
}
