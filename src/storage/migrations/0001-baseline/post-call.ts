import type { Kysely } from 'kysely';

export async function createPostCallTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
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
    .addColumn('updated_ms', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('post_call_questions_place')
    .on('post_call_questions')
    .columns(['agent_id', 'place'])
    .unique()
    .execute();
  await schema
    .createTable('post_call_jobs')
    .addColumn('call_id', 'text', (c) => c.primaryKey().references('calls.id'))
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_ms', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('post_call_jobs_due').on('post_call_jobs').column('next_attempt_ms').execute();
  await schema
    .createTable('post_call_answers')
    .addColumn('call_id', 'text', (c) => c.primaryKey().references('calls.id'))
    .addColumn('answers_json', 'text', (c) => c.notNull())
    .execute();
}
