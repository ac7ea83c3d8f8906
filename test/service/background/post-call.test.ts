import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startWebhookReceiver, type WebhookReceiver } from '../../demo/webhook-receiver.ts';
import { freeSipPort } from '../../peers/sip-port.ts';
import type { ChatBody } from '../../providers/openai/chat-emulator.ts';
import { errorAnswer, textAnswer } from '../../providers/openai/chat-script.ts';
import type { ApiClient } from '../rig/api-client.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';

const schemaOf = ({ response_format: format }: ChatBody) =>
  format?.type === 'json_schema' ? format.json_schema : undefined;
const isPostCall = (body: ChatBody) => schemaOf(body)?.name === 'post_call_answers';
const questionSchema = z.looseObject({ id: z.string(), options: z.array(z.object({ id: z.string() }).loose()) });

const QUESTIONS = [
  { name: 'Did the caller say anything?', type: 'boolean' },
  { name: 'What was it about?', type: 'selector', options: [{ value: 'a booking' }, { value: 'a complaint' }] },
  { name: 'How many people come?', type: 'number', optional: true },
];

/** An agent with post-call questions that reports the answers to `hooks`. */
async function agentWithQuestions(api: ApiClient, hooks: WebhookReceiver) {
  const subscriptions = ['event_call_ended', 'event_post_call_answers_ready'];
  const agent = await api.createAgent(
    talker({ initial_message: 'Hello there.', webhook_url: hooks.url, webhook_subscriptions: subscriptions }),
  );
  const path = `/v1/agents/${agent.id}/post-call-questions`;
  const questions = await api.requestOk(z.array(questionSchema), 'POST', path, { questions: QUESTIONS });
  return { agentId: agent.id, questions };
}

const answersOf = async (api: ApiClient, callId: string): Promise<unknown[]> =>
  z.array(z.unknown()).parse((await api.call(callId)).post_call_answers);

describe('post-call questions', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of cleanUp.splice(0).reverse()) await close();
  });

  const start = async (chat: (body: ChatBody, nth: number) => ReturnType<typeof textAnswer>) => {
    const providers: EmulatedProviders = await startEmulatedProviders({ chat });
    const hooks = await startWebhookReceiver(() => null);
    cleanUp.push(providers.close, hooks.close);
    return { providers, hooks };
  };

  it('are answered by the model after the call, stored with the call, and reported by an event after its end', async () => {
    let option = '';
    const { providers, hooks } = await start((body) =>
      textAnswer(isPostCall(body) ? JSON.stringify({ q1: true, q2: option, q3: 'many' }) : 'Very well.'),
    );
    const test = await startTestService(providers.environment);
    cleanUp.push(test.close);
    const { agentId, questions } = await agentWithQuestions(test.api, hooks);
    option = questions[1]?.options[1]?.id ?? '';
    const { callId } = await dialIn(test, agentId);
    await eventually(async () =>
      expect((await test.api.call(callId)).transcript).toMatchObject([{ end_time: expect.any(String) }]),
    );
    expect(await answersOf(test.api, callId)).toEqual([]);
    await test.api.requestOk(z.null(), 'POST', `/v1/calls/${callId}/terminate`);

    const event = await hooks.event('event_post_call_answers_ready');
    const answers = await answersOf(test.api, callId);
    expect(answers).toMatchObject([
      { has_answer: true, answer_boolean: true, question: { id: questions[0]?.id, question_type: 'boolean' } },
      { has_answer: true, selected_options: [{ option: { id: option, value: 'a complaint' } }] },
      { has_answer: false, answer_number: null, question: { is_optional: true, question_origin: 'user' } },
    ]);
    expect(event).toMatchObject({ call_id: callId, data: { post_call_answers: answers } });
    expect(hooks.events.map(({ type }) => type)).toEqual(['event_call_ended', 'event_post_call_answers_ready']);
    const requests = providers.openai.requests.filter(isPostCall);
    expect(requests, 'one request for all questions').toHaveLength(1);
    expect(requests.map((body) => schemaOf(body)?.strict)).toEqual([true]);
    expect(requests[0]?.messages.at(-1)?.content).toContain('Agent: Hello there.');
  });

  it('are answered once by the next process if the first is killed during the request to the model', async () => {
    let answers = false;
    const { providers, hooks } = await start((body) => {
      if (!isPostCall(body)) return textAnswer('Very well.');
      return answers ? textAnswer('{"q1":false,"q2":null,"q3":2}') : { steps: [{ type: 'stall' }] };
    });
    const environment = {
      ...providers.environment,
      SIP_PORT: String(await freeSipPort()),
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      RTP_PORTS: '31000-31999',
    };
    const first = await startServiceProcess(environment);
    cleanUp.push(() => first.kill());
    const { agentId } = await agentWithQuestions(first.api, hooks);
    const { callId } = await dialIn(first, agentId);
    await first.api.requestOk(z.null(), 'POST', `/v1/calls/${callId}/terminate`);
    await eventually(() => expect(providers.openai.requests.filter(isPostCall)).toHaveLength(1));
    await first.kill();
    answers = true;

    const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
    cleanUp.push(() => second.kill());
    await eventually(async () => expect(await answersOf(second.api, callId)).toHaveLength(3));
    expect(await answersOf(second.api, callId)).toMatchObject([
      { answer_boolean: false },
      { has_answer: false },
      { answer_number: 2 },
    ]);
    await hooks.event('event_post_call_answers_ready');
    await second.stop();
    const ready = hooks.events.filter(({ type }) => type === 'event_post_call_answers_ready');
    expect(ready).toHaveLength(1);
    expect(providers.openai.requests.filter(isPostCall)).toHaveLength(2);
  });

  it('are answered from the stored transcript of a call that a killed process left in progress', async () => {
    const { providers, hooks } = await start((body) =>
      isPostCall(body) ? textAnswer('{"q1":true,"q2":null,"q3":null}') : textAnswer('Very well.'),
    );
    const environment = {
      ...providers.environment,
      SIP_PORT: String(await freeSipPort()),
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      RTP_PORTS: '32000-32767',
    };
    const first = await startServiceProcess(environment);
    cleanUp.push(() => first.kill());
    const { agentId } = await agentWithQuestions(first.api, hooks);
    const { callId } = await dialIn(first, agentId);
    await eventually(async () => expect((await first.api.call(callId)).transcript).not.toEqual([]));
    await first.kill();
    const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
    cleanUp.push(() => second.kill());
    await hooks.event('event_post_call_answers_ready');
    expect(await answersOf(second.api, callId)).toMatchObject([{ answer_boolean: true }, {}, {}]);
    expect((await second.api.call(callId)).end_reason).toBe('shutdown');
  });

  it('are reported without an answer when the model refuses, and the call is unchanged', async () => {
    const { providers, hooks } = await start((body) =>
      isPostCall(body) ? errorAnswer(400) : textAnswer('Very well.'),
    );
    const test = await startTestService(providers.environment);
    cleanUp.push(test.close);
    const { agentId } = await agentWithQuestions(test.api, hooks);
    const { callId } = await dialIn(test, agentId);
    await test.api.requestOk(z.null(), 'POST', `/v1/calls/${callId}/terminate`);
    await hooks.event('event_post_call_answers_ready');
    expect(await answersOf(test.api, callId)).toMatchObject(QUESTIONS.map(() => ({ has_answer: false })));
    expect((await test.api.call(callId)).status).toBe('completed');
  });
});
