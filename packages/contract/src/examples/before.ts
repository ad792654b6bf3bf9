const login = `login() { sed -n 's/^email=//p' "$1" | tr '\\n' :; sed -n 's/^key=//p' "$1"; }`;
const accounts = ["owner", "admin", "moderator", "member", "guest", "bot"].map(
  (name) => `${name.toUpperCase()}=$(login var/zuliprc/${name}.zuliprc)`,
);
const password = `PASSWORD=$(grep -A 2 '"member@' var/zuliprc/accounts.json | sed -n 's/.*"password": "\\(.*\\)".*/\\1/p')`;

/** Shell variables that the examples use: credentials from the files that a first start writes. */
export const beforeExamples = [login, ...accounts, password].join("\n");

/** An explanation of {@link beforeExamples}. */
export const aboutExamples =
  "Each operation has an example for bash. Run it in the folder of a server that `npm start` has started with its demo. " +
  "These lines set variables with the credentials of its accounts; for another server, set `MEMBER` and the others to an e-mail address and an API " +
  "key with a colon between them.";
