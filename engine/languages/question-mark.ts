const QUESTION_END = /[?？؟]\s*$/u;

/** Whether a text ends with a question mark, Latin, full-width or Arabic. */
export function endsWithQuestion(text: string): boolean {
  return QUESTION_END.test(text);
}
