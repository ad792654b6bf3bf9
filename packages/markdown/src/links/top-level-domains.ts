/**
 * Generic top-level domains that make a bare word a link, in addition to those that the link finder knows. `.md`, `.py`,
 * `.zip`, `.mov` and `.java` count as file extensions (rendering.md §3).
 */
export const genericDomains: readonly string[] = (
  "academy agency ai app art bank bar berlin bike bio blog build business buzz cafe capital care " +
  "careers cat center chat church city click clinic cloud club coach codes coffee community company " +
  "computer consulting cool dance dating dental design dev digital direct directory doctor domains earth " +
  "education email energy engineer engineering estate events exchange expert express family farm finance fit " +
  "foundation fun fund fyi gallery games garden global gmbh green group guide guru health help hiring host " +
  "house how inc ink int institute jobs kitchen land law legal life link live lol london ltd management market " +
  "marketing media mil mobi money moscow network news ngo nyc one ong online org page paris partners parts " +
  "party photo photos pics plus post press productions properties pub recipes rent repair report rest reviews " +
  "rocks run sale school science security services shopping show site social software solar solutions space " +
  "store stream studio style support surf systems tax team tech technology tel tips today tokyo tools top " +
  "tours town toys training travel tv university vet video vip vision watch webcam website wien wiki win " +
  "wine work works world wtf xyz yoga zone"
).split(" ");

/** Country codes that count as file extensions. */
export const fileEndings: ReadonlySet<string> = new Set(["md", "py"]);
