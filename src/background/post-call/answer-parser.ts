import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { coerce, parseJson } from '../../../engine/variables/coercion.ts';
import type { PostCallAnswer } from '../../storage/post-call/post-call-answer.ts';
import type { PostCallQuestion } from '../../storage/post-call/post-call-question-repository.ts';

/** Maximum length of a text answer, characters. */
const TEXT_LENGTH_MAX = 20_000;

type Values = Omit<PostCallAnswer, 'id' | 'question'>;

const NO_ANSWER: Values = {
  has_answer: false,
  answer_text: null,
  answer_number: null,
  answer_boolean: null,
  selected_options: [],
};

/**
 * Parses the answers of the model, in the order of the questions. `text` is JSON with the names of `questionRequests`; null: no
 * response. A value that is missing or of the wrong type counts as no answer.
 */
export function parseAnswers(questions: readonly PostCallQuestion[], text: string | null): readonly PostCallAnswer[] {
  const said = text === null ? undefined : parseJson(text);
  const values = new Map(typeof said === 'object' && said !== null && !Array.isArray(said) ? Object.entries(said) : []);
  return questions.map((question, index) => ({
    id: randomUUID(),
    question: {
      id: question.id,
      name: question.name,
      description: question.description,
      question_type: question.type,
      is_optional: question.isOptional,
      question_origin: question.origin,
    },
    ...(given(question, values.get(`q${index + 1}`)) ?? NO_ANSWER),
  }));
}

/** undefined: the value is no answer. */
function given(question: PostCallQuestion, value: JsonValue | undefined): Values | undefined {
  switch (question.type) {
    case 'text': {
      const text = typeof value === 'string' ? value.trim().slice(0, TEXT_LENGTH_MAX) : '';
      return text === '' ? undefined : { ...NO_ANSWER, has_answer: true, answer_text: text };
    }
    case 'number': {
      const number = coerce(value, 'number');
      return typeof number === 'number' ? { ...NO_ANSWER, has_answer: true, answer_number: number } : undefined;
    }
    case 'boolean': {
      const boolean = coerce(value, 'boolean');
      return typeof boolean === 'boolean' ? { ...NO_ANSWER, has_answer: true, answer_boolean: boolean } : undefined;
    }
    case 'selector':
      return selected(question, [value]);
    case 'multi-selector':
      return Array.isArray(value) ? selected(question, value) : undefined;
  }
}

/** One unknown id invalidates the whole answer. */
function selected({ options }: PostCallQuestion, ids: readonly (JsonValue | undefined)[]): Values | undefined {
  if (!ids.every((id) => options.some((option) => option.id === id))) return undefined;
  const chosen = options.filter(({ id }) => ids.includes(id));
  const selectedOptions = chosen.map(({ id, value }) => ({ option: { id, value } }));
  return { ...NO_ANSWER, has_answer: true, selected_options: selectedOptions };
}
