const split = (text: string): string[] => text.split(" ¦ ");

/** Fragments that might be slow to render if repeated thousands of times. */
export const slowFragments: readonly string[] = [
  ..."> * [ ] ` | ~ @ # < : & - _ ( ) / \\ \n".split(" "),
  ...split(
    ">  ¦ *  ¦ 1.  ¦ **a  ¦ *a **b ***c  ¦ []( ¦ [a](< ¦ `` `  ¦ |a ¦ @** ¦ #**a>b ¦ <time: ¦ :a",
  ),
  ...split(
    "```quote\n ¦ ~~~spoiler\na\n ¦ > a\n ¦ >\n>>\n ¦ - a\n ¦ &amp ¦ http://a.b/( ¦ a. ¦ a.com  ¦ a@b.c",
  ),
  ...split(
    "😀 ¦ 👨‍👩‍👧 ¦ \ufe0f ¦ ❤\ufe0f\ufe0f ¦ 1\ufe0f ¦ www. ¦ https://a.b/?c=d&  ¦ mailto: ¦ http://a.b/[c",
  ),
  ...split(
    ">> ¦ >>> a\n ¦ $ ¦ $$ ¦ ~~ ¦ ~~a ¦ _ ¦ _a ¦ \\* ¦ (  ¦ ((( ¦ ))) ¦ [[ ¦ ]] ¦ ![a]( ¦ &# ¦ &#x",
  ),
  ...split(
    "|a|b|\n|-|-\n ¦ |-\n ¦ ```spoiler a\n ¦ ~~~spoiler\na\n> ¦ ```quote\n> ¦   - ¦ + a\n ¦ # a\n ¦ ---\n ¦ <time:1>",
  ),
  ...split(
    "># a\na\n ¦ >```\na\n ¦ >- \na\n ¦ > ---\na\n ¦ >> # a\na\n ¦ - a\nb\n ¦ - ```\nb\n ¦ 1. # a\nb\n ¦ - - a\n",
  ),
  ...split(
    "@**a| ¦ @**|1** ¦ @_** ¦ @*a* ¦ #**a ¦ #**name** ¦ :a: ¦ :smile: ¦ :a:: ¦ //a. ¦ a@a. ¦ xn--a.",
  ),
  ...split(
    "> _x@y.z\n```quote\n://>```\na\n ¦ ~~~spoiler <b>\n ¦ \n~~~\n\n ¦ http://>  ¦ [x](/a) ¦ ![x](/user_uploads/a.png) ¦ xn-- ¦ \u00a0 ¦     ",
  ),
  ...split(
    "$$x_x$$  ¦ $$\\KaTeX\\TeX$$  ¦ $$\\frac12$$  ¦ $$x-$$  ¦ ```math\n\\begin{matrix}& ¦ \\\\ ¦ x^ ¦ {",
  ),
];
