import { escapeCodeBlock, searchText } from "@carillon/markdown";

/** What a message is found by, as the fragments below take it. */
export interface SearchTexts {
  /** The words of its topic; `""` for a direct message. */
  readonly topicWords: string;
  readonly contentWords: string;
}

/**
 * What a message is found by (messages.md §5).
 * @param topic `""` for a direct message
 * @param html its rendered content
 */
export function searchTexts(topic: string, html: string): SearchTexts {
  return { topicWords: topicWords(topic), contentWords: searchText(html) };
}

/** The words of a topic, as it is shown in HTML. */
export function topicWords(topic: string): string {
  return searchText(escapeCodeBlock(topic));
}

/**
 * SQL of a message's column `search`: every statement that writes a message's content sets it in the same go. The words of
 * the topic have the weight A, so that a move gives others without parsing the content again.
 * @param words SQL of the two texts of {@link searchTexts}
 */
export function searchVector(words: { topic: string; content: string }): string {
  return `${topicVector(words.topic)} || ${contentVector(words.content)}`;
}

/** SQL of the half of {@link searchVector} that comes from the topic's words. */
export function topicVector(words: string): string {
  return `setweight(to_tsvector('english', ${words}), 'A')`;
}

/** SQL of the other half. */
export function contentVector(words: string): string {
  return `to_tsvector('english', ${words})`;
}

/**
 * SQL of a message's column `search` once its topic has changed, and its content has not.
 * @param vector SQL of what it was
 * @param topic SQL of the {@link topicWords} of the new one
 */
export function searchVectorInTopic(vector: string, topic: string): string {
  return `${topicVector(topic)} || ts_filter(${vector}, '{d}')`;
}
