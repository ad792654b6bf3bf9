/** What a custom profile field may hold, as `custom_profile_field_types` (settings-and-profile-fields.md §2.1). */
export const profileFieldTypes = {
  SHORT_TEXT: { id: 1, name: "Short text" },
  LONG_TEXT: { id: 2, name: "Paragraph" },
  SELECT: { id: 3, name: "Dropdown" },
  DATE: { id: 4, name: "Date" },
  URL: { id: 5, name: "Link" },
  USER: { id: 6, name: "Users" },
  EXTERNAL_ACCOUNT: { id: 7, name: "External account" },
  PRONOUNS: { id: 8, name: "Pronouns" },
} as const;
