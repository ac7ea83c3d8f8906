/** The text after the last mark inside it. A mark within a word, as in «3.5», ends no sentence. */
export function lastSentence(text: string): string {
  return (
    text
      .trim()
      .split(/(?<=[.!?。！？]["'”’»)]?)\s+/)
      .at(-1) ?? ''
  );
}
