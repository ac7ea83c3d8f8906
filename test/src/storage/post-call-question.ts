import { randomUUID } from 'node:crypto';
import type { PostCallQuestion, QuestionType } from '../../../src/storage/post-call/post-call-question-repository.ts';
import { START_MS } from './temporary-database.ts';

export const OPTIONS = [
  { id: '00000000-0000-4000-8000-0000000000a1', value: 'red', createdMs: START_MS },
  { id: '00000000-0000-4000-8000-0000000000a2', value: 'blue', createdMs: START_MS },
] as const;

export function question(type: QuestionType, fields: Partial<PostCallQuestion> = {}): PostCallQuestion {
  const isSelector = type === 'selector' || type === 'multi-selector';
  return {
    id: randomUUID(),
    agentId: '00000000-0000-4000-8000-0000000000aa',
    name: `A question of type ${type}`,
    description: '',
    type,
    origin: 'user',
    isActive: true,
    isOptional: false,
    model: null,
    options: isSelector ? OPTIONS : [],
    examples: [],
    createdMs: START_MS,
    updatedMs: START_MS,
    ...fields,
  };
}
