import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LanguageModel } from '../../../../engine/ports/language-model.ts';
import { PostCallRunner } from '../../../../src/background/post-call/post-call-runner.ts';
import type { CallEnd } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { createRepositories, type Repositories } from '../../../../src/storage/repositories.ts';
import { FakeClock } from '../../api/test-api.ts';
import { question } from '../../storage/post-call-question.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../../storage/temporary-database.ts';
import { AnsweringModel } from './answering-model.ts';

const BUSY = { provider: 'openai', code: 'unavailable', message: 'busy', retryable: true } as const;
const REFUSED = { provider: 'openai', code: 'bad_request', message: 'too long', retryable: false } as const;
const END: CallEnd = { status: 'completed', endReason: 'caller_hangup', atMs: START_MS };

interface TestBed {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly clock: FakeClock;
  readonly agentId: string;
  /** An answered call, by default ended. */
  call(end?: CallEnd | null, answered?: boolean): Promise<string>;
  run(model: LanguageModel | null): PostCallRunner;
  jobs(): Promise<readonly { call_id: string; attempts: number; next_attempt_ms: number }[]>;
  answers(callId: string): Promise<readonly { question: { id: string }; has_answer: boolean }[] | undefined>;
  events(callId: string): Promise<readonly string[]>;
}

async function setUp(): Promise<TestBed> {
  const database = await temporaryDatabase();
  const repositories = createRepositories(database);
  const agentId = await storeAgent(database);
  const clock = new FakeClock();
  return {
    database,
    repositories,
    clock,
    agentId,
    call: async (end = END, answered = true) => {
      const call = newCall(agentId, { status: 'ringing' });
      await repositories.calls.createCall(call);
      if (answered)
        await repositories.calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: START_MS });
      if (end !== null) await repositories.calls.finish(call.id, end);
      return call.id;
    },
    run: (model) => {
      const log = pino({ level: 'silent' });
      const runner = new PostCallRunner({ repositories, model: () => model, clock, log, onStored: () => {} });
      onTestFinished(() => runner.stop());
      runner.wake();
      return runner;
    },
    jobs: () => database.query.selectFrom('post_call_jobs').selectAll().execute(),
    answers: async (callId) => (await repositories.postCall.answersOf([callId])).get(callId),
    events: async (callId) => (await repositories.callEvents.after(callId, 0, 100)).map(({ type }) => type),
  };
}

const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

describe('an ended call', () => {
  it('gets its questions answered once, with an event', async () => {
    const { repositories, agentId, answers, call, events, jobs, run } = await setUp();
    const questions = [question('text', { agentId }), question('number', { agentId })];
    await repositories.postCallQuestions.create(questions);
    const callId = await call();
    const model = new AnsweringModel(() => '{"q1":"at noon","q2":"3"}');
    const runner = run(model);
    await until(async () =>
      expect(await answers(callId)).toMatchObject([
        { question: { id: questions[0]?.id }, answer_text: 'at noon' },
        { question: { id: questions[1]?.id }, answer_number: 3 },
      ]),
    );
    expect(await jobs()).toEqual([]);
    runner.wake();
    await runner.stop();
    expect(model.requests).toHaveLength(1);
    expect((await events(callId)).filter((type) => type === 'event_post_call_answers_ready')).toHaveLength(1);
  });

  it('gets its questions answered by the model that it overrides', async () => {
    const { repositories, agentId, answers, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    const agentOverrides = { llm: { provider: 'openai', model: 'of-this-call', temperature: 0.5 } };
    const call = newCall(agentId, { status: 'ringing', agentOverrides });
    await repositories.calls.createCall(call);
    await repositories.calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: START_MS });
    await repositories.calls.finish(call.id, END);
    const model = new AnsweringModel(() => '{"q1":"at noon"}');
    run(model);
    await until(async () => expect(await answers(call.id)).toHaveLength(1));
    expect(model.requests).toMatchObject([{ provider: 'openai', model: 'of-this-call' }]);
  });

  it.each([
    ['never connected', { ...END, status: 'no_answer', endReason: 'no_answer' }, false],
    ['is still in progress', null, true],
  ] as const)('gets no job if it %s', async (_state, end, answered) => {
    const { repositories, agentId, call, jobs } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    await call(end, answered);
    expect(await jobs()).toEqual([]);
  });

  it('gets no job if its agent has no active question', async () => {
    const { repositories, agentId, call, jobs } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId, isActive: false })]);
    await call();
    expect(await jobs()).toEqual([]);
  });

  it('is retried with growing delays while the model is unavailable', async () => {
    const { repositories, agentId, answers, call, clock, jobs, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    const callId = await call();
    const model = new AnsweringModel((_request, nth) => (nth < 2 ? BUSY : '{"q1":"at last"}'));
    const postpone = vi.spyOn(repositories.postCall, 'postpone');
    run(model);
    for (const [attempt, delayMs] of [5_000, 30_000].entries()) {
      const dueMs = clock.nowMs + delayMs;
      // The attempt has ended, and the runner waits for the next one.
      await until(() => expect(postpone.mock.settledResults).toHaveLength(attempt + 1));
      expect(await jobs()).toMatchObject([{ attempts: attempt + 1, next_attempt_ms: dueMs }]);
      await until(() => expect(clock.nextDueMs).toBeLessThanOrEqual(dueMs));
      expect(model.requests).toHaveLength(attempt + 1);
      clock.advance(delayMs);
    }
    await until(async () => expect(await answers(callId)).toMatchObject([{ answer_text: 'at last' }]));
    expect(model.requests).toHaveLength(3);
  });

  it('gets empty answers after six failed attempts', async () => {
    const { repositories, agentId, answers, call, clock, events, run } = await setUp();
    await repositories.postCallQuestions.create([question('boolean', { agentId })]);
    const callId = await call();
    const model = new AnsweringModel(() => BUSY);
    run(model);
    await until(async () => {
      clock.advance(3_600_000);
      expect(await answers(callId)).toBeDefined();
    });
    expect(await answers(callId)).toMatchObject([{ has_answer: false, answer_boolean: null }]);
    expect(await events(callId)).toContain('event_post_call_answers_ready');
    expect(model.requests).toHaveLength(6);
  });

  it('is not retried if the request was refused', async () => {
    const { repositories, agentId, answers, call, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    const callId = await call();
    const model = new AnsweringModel(() => REFUSED);
    run(model);
    await until(async () => expect(await answers(callId)).toMatchObject([{ has_answer: false }]));
    expect(model.requests).toHaveLength(1);
  });

  it('gets no answer to a question that is deleted or deactivated during the request', async () => {
    const { repositories, agentId, answers, call, run } = await setUp();
    const [deleted, deactivated, active] = [0, 1, 2].map(() => question('text', { agentId }));
    if (deleted === undefined || deactivated === undefined || active === undefined) throw new Error('three questions');
    await repositories.postCallQuestions.create([deleted, deactivated, active]);
    const callId = await call();
    const model = new AnsweringModel(async () => {
      await repositories.postCallQuestions.remove(agentId, deleted.id);
      await repositories.postCallQuestions.replace(deactivated, { ...deactivated, isActive: false });
      return '{"q1":"a","q2":"b","q3":"c"}';
    });
    run(model);
    await until(async () => expect(await answers(callId)).toMatchObject([{ question: { id: active.id } }]));
  });

  it('gets no answers and no event if its content is deleted during the request', async () => {
    const { repositories, agentId, answers, call, events, jobs, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    const callId = await call();
    const runner = run(
      new AnsweringModel(async () => {
        await repositories.callDeletion.deleteContent(callId, START_MS);
        return '{"q1":"a secret"}';
      }),
    );
    await until(async () => expect(await jobs()).toEqual([]));
    await runner.stop();
    expect(await answers(callId)).toBeUndefined();
    expect(await events(callId)).not.toContain('event_post_call_answers_ready');
  });

  it('loses its answers with its content', async () => {
    const { repositories, agentId, answers, call, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    const callId = await call();
    run(new AnsweringModel(() => '{"q1":"a secret"}'));
    await until(async () => expect(await answers(callId)).toHaveLength(1));
    await repositories.callDeletion.deleteContent(callId, START_MS);
    expect(await answers(callId)).toBeUndefined();
  });

  it('loses its job if its agent is deleted', async () => {
    const { repositories, agentId, call, jobs, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    await call();
    await repositories.agents.remove(newCall(agentId).organizationId, agentId);
    const model = new AnsweringModel(() => '{}');
    run(model);
    await until(async () => expect(await jobs()).toEqual([]));
    expect(model.requests).toEqual([]);
  });

  it('gets its answers from the next process after a stop or a crash', async () => {
    const { repositories, agentId, answers, call, clock, jobs, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    const callId = await call();
    const silent = new AnsweringModel(() => 'silence');
    const first = run(silent);
    await until(() => expect(silent.requests).toHaveLength(1));
    expect(await jobs(), 'an attempt counts from its start').toMatchObject([{ attempts: 1 }]);
    await first.stop();
    expect(silent.cancelled).toBe(1);
    clock.advance(5_000);
    run(new AnsweringModel(() => '{"q1":"yes"}'));
    await until(async () => expect(await answers(callId)).toMatchObject([{ answer_text: 'yes' }]));
  });

  it('is not retried after every attempt has crashed the process', async () => {
    const { database, repositories, agentId, answers, call, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    const callId = await call();
    await database.query.updateTable('post_call_jobs').set({ attempts: 6 }).execute();
    const model = new AnsweringModel(() => '{"q1":"yes"}');
    run(model);
    await until(async () => expect(await answers(callId)).toMatchObject([{ has_answer: false }]));
    expect(model.requests).toEqual([]);
  });

  it('waits while four others are processed', async () => {
    const { repositories, agentId, call, jobs, run } = await setUp();
    await repositories.postCallQuestions.create([question('text', { agentId })]);
    for (let nth = 0; nth < 6; nth++) await call();
    const release = Promise.withResolvers<string>();
    const model = new AnsweringModel(() => release.promise);
    run(model);
    await until(() => expect(model.requests).toHaveLength(4));
    expect(await jobs()).toHaveLength(6);
    expect(model.requests).toHaveLength(4);
    release.resolve('{"q1":"yes"}');
    await until(async () => expect(await jobs()).toEqual([]));
    expect(model.requests).toHaveLength(6);
  });
});

describe('the id of a question', () => {
  it('is unique, and a batch with a used id stores nothing', async () => {
    const { repositories, agentId } = await setUp();
    const id = randomUUID();
    await repositories.postCallQuestions.create([question('text', { agentId, id })]);
    const batch = [question('text', { agentId }), question('number', { agentId, id })];
    await expect(repositories.postCallQuestions.create(batch)).rejects.toMatchObject({ fault: 'constraint' });
    expect(await repositories.postCallQuestions.list(agentId)).toHaveLength(1);
  });
});
