/** The party that answered an outbound call: the values of the API's `answer_type`. */
export const ANSWER_TYPES = ['human', 'voicemail', 'ivr', 'call_screening', 'unknown'] as const;

export type AnswerType = (typeof ANSWER_TYPES)[number];
