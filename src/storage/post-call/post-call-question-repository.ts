import type { Database, Step } from '../database/database.ts';
import { lockRow } from '../database/lock-row.ts';
import type { PostCallQuestionTable } from '../schema/tables.ts';

export const QUESTION_TYPES = ['text', 'boolean', 'number', 'selector', 'multi-selector'] as const;
export const QUESTION_ORIGINS = ['user', 'system'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];
export type QuestionOrigin = (typeof QUESTION_ORIGINS)[number];

export interface QuestionOption {
  readonly id: string;
  readonly value: string;
  readonly createdMs: number;
}

/** A question about each ended call of an agent. */
export interface PostCallQuestion {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  readonly type: QuestionType;
  /** `user`: created through the API; `system`: by the service. */
  readonly origin: QuestionOrigin;
  /** False after a soft delete: stored, and no longer asked. */
  readonly isActive: boolean;
  readonly isOptional: boolean;
  /** A model of the agent's provider; null: the agent's model. */
  readonly model: string | null;
  /** Options of a selector; empty for other types. */
  readonly options: readonly QuestionOption[];
  readonly examples: readonly string[];
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** All methods reject with a `DatabaseError`. */
export interface PostCallQuestionRepository {
  /** Adds questions after the agent's others, in this order. Rejects with `constraint`, and stores none, if an id exists. */
  create(questions: readonly PostCallQuestion[]): Promise<void>;
  /** In the order of creation, inactive ones included. */
  list(agentId: string): Promise<readonly PostCallQuestion[]>;
  find(agentId: string, questionId: string): Promise<PostCallQuestion | null>;
  /** False if the question is no longer the same as it was read, or is gone. */
  replace(before: PostCallQuestion, question: PostCallQuestion): Promise<boolean>;
  /** Answers stay with their calls. False: no such question. */
  remove(agentId: string, questionId: string): Promise<boolean>;
}

export function createPostCallQuestionRepository(database: Database): PostCallQuestionRepository {
  const { query } = database;

  const insert = (question: PostCallQuestion): Step => {
    const last = query
      .selectFrom('post_call_questions as earlier')
      .select((eb) => eb(eb.fn.coalesce(eb.fn.max('earlier.place'), eb.lit(0)), '+', 1).as('next'))
      .where('earlier.agent_id', '=', question.agentId);
    const statement = query
      .insertInto('post_call_questions')
      .values((eb) => ({ ...columns(question), place: eb.fn.coalesce(last, eb.lit(1)) }));
    return { statement };
  };

  return {
    create: async (questions) => {
      const [first] = questions;
      if (first === undefined) return;
      await database.atomically([...lockRow(database, 'agents', first.agentId), ...questions.map(insert)]);
    },
    list: async (agentId) => {
      const rows = await query
        .selectFrom('post_call_questions')
        .selectAll()
        .where('agent_id', '=', agentId)
        .orderBy('place')
        .execute();
      return rows.map(readQuestion);
    },
    find: async (agentId, questionId) => {
      const row = await query
        .selectFrom('post_call_questions')
        .selectAll()
        .where('id', '=', questionId)
        .where('agent_id', '=', agentId)
        .executeTakeFirst();
      return row === undefined ? null : readQuestion(row);
    },
    replace: async (before, question) => {
      const result = await query
        .updateTable('post_call_questions')
        .set(columns(question))
        .where((eb) => eb.and(columns(before)))
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    remove: async (agentId, questionId) => {
      const result = await query
        .deleteFrom('post_call_questions')
        .where('id', '=', questionId)
        .where('agent_id', '=', agentId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

function columns(question: PostCallQuestion): Omit<PostCallQuestionTable, 'place'> {
  return {
    id: question.id,
    agent_id: question.agentId,
    name: question.name,
    description: question.description,
    type: question.type,
    origin: question.origin,
    is_active: question.isActive ? 1 : 0,
    is_optional: question.isOptional ? 1 : 0,
    model: question.model,
    options_json: JSON.stringify(question.options),
    examples_json: JSON.stringify(question.examples),
    created_ms: question.createdMs,
    updated_ms: question.updatedMs,
  };
}

/** Only this module writes these rows, so the casts of the closed sets hold. */
function readQuestion(row: PostCallQuestionTable): PostCallQuestion {
  return {
    id: row.id,
    agentId: row.agent_id,
    name: row.name,
    description: row.description,
    type: row.type as QuestionType,
    origin: row.origin as QuestionOrigin,
    isActive: row.is_active === 1,
    isOptional: row.is_optional === 1,
    model: row.model,
    options: JSON.parse(row.options_json),
    examples: JSON.parse(row.examples_json),
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
  };
}
