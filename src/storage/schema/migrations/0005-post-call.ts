import type { Migration } from '../migrate.ts';

/** Questions of agents, the runs that are owed to ended calls, and what came of them. */
export const postCall: Migration = {
  name: '0005-post-call',
  statements: ({ schema }) => [
    schema
      .createTable('post_call_questions')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('agent_id', 'text', (c) => c.notNull().references('agents.id').onDelete('cascade'))
      .addColumn('place', 'integer', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('origin', 'text', (c) => c.notNull())
      .addColumn('is_active', 'integer', (c) => c.notNull())
      .addColumn('is_optional', 'integer', (c) => c.notNull())
      .addColumn('model', 'text')
      .addColumn('options_json', 'text', (c) => c.notNull())
      .addColumn('examples_json', 'text', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addColumn('updated_ms', 'bigint', (c) => c.notNull()),
    schema.createIndex('post_call_questions_place').on('post_call_questions').columns(['agent_id', 'place']).unique(),
    schema
      .createTable('post_call_jobs')
      .addColumn('call_id', 'text', (c) => c.primaryKey().references('calls.id'))
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('next_attempt_ms', 'bigint', (c) => c.notNull()),
    schema.createIndex('post_call_jobs_due').on('post_call_jobs').column('next_attempt_ms'),
    schema
      .createTable('post_call_answers')
      .addColumn('call_id', 'text', (c) => c.primaryKey().references('calls.id'))
      .addColumn('answers_json', 'text', (c) => c.notNull()),
  ],
};
