import type { QuestionOption, QuestionOrigin, QuestionType } from './post-call-question-repository.ts';

/**
 * An answer and a copy of its question, named as in the API: the answer outlives the question. With `has_answer` exactly one
 * value is set; `selected_options` of a multi-selector may be empty.
 */
export interface PostCallAnswer {
  readonly id: string;
  readonly question: {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly question_type: QuestionType;
    readonly is_optional: boolean;
    readonly question_origin: QuestionOrigin;
  };
  readonly has_answer: boolean;
  readonly answer_text: string | null;
  readonly answer_number: number | null;
  readonly answer_boolean: boolean | null;
  readonly selected_options: readonly { readonly option: Pick<QuestionOption, 'id' | 'value'> }[];
}
