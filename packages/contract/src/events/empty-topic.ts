/** The form that clients get that do not know the empty topic, of the fields that name one. */
export function emptyTopicIsNamed(...fields: readonly string[]) {
  const names = fields.map((name) => `\`${name}\``).join(" and ");
  return {
    empty_topic_name: {
      about: `An empty ${names} is \`realm_empty_topic_display_name\`.`,
    },
  };
}
