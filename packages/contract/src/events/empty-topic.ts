/**
 * Declares the form for clients without the capability `empty_topic_name`, which get a name for the empty topic in
 * these fields.
 */
export function emptyTopicIsNamed(...fields: readonly string[]) {
  const names = fields.map((name) => `\`${name}\``).join(" and ");
  return {
    empty_topic_name: {
      about: `An empty ${names} is \`realm_empty_topic_display_name\`.`,
    },
  };
}
