import type { QuestionOption, QuestionOrigin, QuestionType } from './post-call-question-repository.ts';

/**
 * An answer with its question as that stood when it was asked, in the names of the API: it outlives the question. Exactly
 * one of the values is set where `has_answer` is true; of a multi-selector, `selected_options` may be empty all the same.
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
