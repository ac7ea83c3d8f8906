/** The reason of a request without a final response in its time. The console says it in the language of its page. */
export const NO_ANSWER = 'no answer';
