import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAgent, OTHER_KEY, READ_KEY, type TestApi, testApi } from '../test-api.ts';

const UUID = /^[0-9a-f-]{36}$/;
const BOOKED = { name: 'Was an appointment booked?', type: 'boolean' };
const MOOD = {
  name: 'How did the caller feel?',
  type: 'selector',
  options: [{ value: 'pleased' }, { value: 'annoyed' }],
};

describe('post-call questions', () => {
  let api: TestApi;
  let path: string;

  beforeEach(async () => {
    api = await testApi();
    path = `/v1/agents/${await createAgent(api)}/post-call-questions`;
  });

  const create = (...questions: object[]) => api.ask('POST', path, { questions });

  it('are answered by the present model of the agent unless they have their own', async () => {
    const { body } = await create(BOOKED, { ...BOOKED, name: 'Own', model: 'gpt-5' });
    const models = async () => (await api.ask('GET', path)).body.data.map(({ model }) => model);
    expect(await models()).toEqual(['gpt-4.1-mini', 'gpt-5']);
    const question = `${path}/${body.data[0].id}`;
    // Repeating the response fixes no model.
    await api.ask('PATCH', question, { model: 'gpt-4.1-mini' });
    await api.ask('PATCH', path.replace('/post-call-questions', ''), { llm: { provider: 'openai', model: 'gpt-5.1' } });
    expect(await models()).toEqual(['gpt-5.1', 'gpt-5']);
    expect((await api.ask('PATCH', question, { model: 'gpt-5' })).body.data.model).toBe('gpt-5');
    expect((await api.ask('PATCH', question, { model: null })).body.data.model).toBe('gpt-5.1');
  });

  it('can be sent back as they were read, options included', async () => {
    const { body } = await create(MOOD);
    api.clock.advance(1_000);
    const again = await api.ask('PATCH', `${path}/${body.data[0].id}`, body.data[0]);
    expect(again.body.data).toEqual({ ...body.data[0], updated_at: '2026-01-01T00:00:01.000Z' });
  });

  it('are added as a batch, in order, with every field of the specification', async () => {
    const { status, body } = await create(BOOKED, MOOD);
    expect(status).toBe(200);
    expect(body.data[0]).toEqual({
      id: expect.stringMatching(UUID),
      agent_id: path.split('/')[3],
      name: BOOKED.name,
      description: '',
      type: 'boolean',
      is_active: true,
      question_origin: 'user',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      optional: false,
      model: 'gpt-4.1-mini',
      options: [],
      examples: [],
    });
    expect(body.data[1].options[0]).toEqual({
      id: expect.stringMatching(UUID),
      value: 'pleased',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const more = await create({ ...BOOKED, name: 'Third', id: randomUUID(), model: 'gpt-5', examples: ['yes'] });
    const { body: listed } = await api.ask('GET', path);
    expect(listed.data).toEqual([...body.data, ...more.body.data]);
    const one = await api.ask('GET', `${path}/${more.body.data[0].id}`);
    expect(one.body.data).toEqual(more.body.data[0]);
  });

  it('with the same Idempotency-Key are added once', async () => {
    const headers = { 'x-api-key': 'admin-key-of-the-default-organization', 'idempotency-key': 'once' };
    const send = () => api.app.inject({ method: 'POST', url: path, headers, payload: { questions: [BOOKED] } });
    const [first, second] = [await send(), await send()];
    expect(second.body).toBe(first.body);
    expect((await api.ask('GET', path)).body.data).toHaveLength(1);
  });

  it.each([
    ['no question', { questions: [] }, 'questions'],
    ['51 questions', { questions: Array.from({ length: 51 }, () => BOOKED) }, 'questions'],
    ['no name', { questions: [{ type: 'text' }] }, 'questions[0].name'],
    ['no type', { questions: [{ name: 'Why?' }] }, 'questions[0].type'],
    ['an unknown type', { questions: [{ name: 'Why?', type: 'date' }] }, 'questions[0].type'],
    ['an unknown field', { questions: [{ ...BOOKED, weight: 1 }] }, 'questions[0].weight'],
    [
      'a selector with one option',
      { questions: [BOOKED, { ...MOOD, options: [{ value: 'one' }] }] },
      'questions[1].options',
    ],
    [
      'a selector without options',
      { questions: [{ ...MOOD, type: 'multi-selector', options: [] }] },
      'questions[0].options',
    ],
    [
      'a repeated option',
      { questions: [{ ...MOOD, options: [{ value: 'a' }, { value: 'a' }] }] },
      'questions[0].options',
    ],
    ['options on a text', { questions: [{ ...MOOD, type: 'text' }] }, 'questions[0].options'],
    ['an invalid id', { questions: [{ ...BOOKED, id: 'q1' }] }, 'questions[0].id'],
  ])('with %s are refused with the name of the field, and none is stored', async (_fault, body, field) => {
    const answer = await api.ask('POST', path, body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details[0].field).toBe(field);
    expect((await api.ask('GET', path)).body.data).toEqual([]);
  });

  it('are all refused if one id is in use', async () => {
    const id = randomUUID();
    await create({ ...BOOKED, id });
    expect((await create(MOOD, { ...BOOKED, id })).status).toBe(409);
    expect((await api.ask('GET', path)).body.data).toHaveLength(1);
  });

  it('are limited to 200 per agent', async () => {
    for (let batch = 0; batch < 4; batch++) await create(...Array.from({ length: 50 }, () => BOOKED));
    expect((await create(BOOKED)).status).toBe(422);
  });

  it('are updated field by field; an option keeps its id and creation time', async () => {
    const [mood] = (await create(MOOD)).body.data;
    const [option] = mood.options;
    api.clock.advance(60_000);
    const options = [{ value: 'delighted', option_id: option.id }, { value: 'angry' }];
    const { body } = await api.ask('PATCH', `${path}/${mood.id}`, { options, optional: true });
    expect(body.data).toMatchObject({
      name: MOOD.name,
      optional: true,
      created_at: mood.created_at,
      updated_at: '2026-01-01T00:01:00.000Z',
      options: [{ ...option, value: 'delighted' }, { value: 'angry' }],
    });
    expect((await api.ask('GET', `${path}/${mood.id}`)).body.data).toEqual(body.data);
  });

  it('refuse an update that leaves a selector without options', async () => {
    const [booked] = (await create(BOOKED)).body.data;
    expect((await api.ask('PATCH', `${path}/${booked.id}`, { type: 'selector' })).status).toBe(422);
    expect((await api.ask('GET', `${path}/${booked.id}`)).body.data).toEqual(booked);
  });

  it('keep all fields of simultaneous updates, including a soft delete', async () => {
    const [booked] = (await create(BOOKED)).body.data;
    const url = `${path}/${booked.id}`;
    const fields = { name: 'Booked?', description: 'At all', optional: true, model: 'gpt-5', examples: ['yes'] };
    const patches = Object.entries(fields).map(([name, value]) => api.ask('PATCH', url, { [name]: value }));
    const answers = await Promise.all([...patches, api.ask('DELETE', `${url}?soft_delete=true`)]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await api.ask('GET', url)).body.data).toEqual({ ...booked, ...fields, is_active: false });
  });

  it('are deleted, or deactivated by a soft delete that an update reverts', async () => {
    const [booked, mood] = (await create(BOOKED, MOOD)).body.data;
    expect((await api.ask('DELETE', `${path}/${booked.id}`)).body).toMatchObject({ status: 200, data: null });
    expect((await api.ask('GET', `${path}/${booked.id}`)).status).toBe(404);
    expect((await api.ask('DELETE', `${path}/${booked.id}`)).status).toBe(404);
    expect((await api.ask('DELETE', `${path}/${mood.id}?soft_delete=true`)).status).toBe(200);
    expect((await api.ask('GET', path)).body.data).toMatchObject([{ id: mood.id, is_active: false }]);
    await api.ask('PATCH', `${path}/${mood.id}`, { is_active: true });
    expect((await api.ask('GET', path)).body.data).toMatchObject([{ id: mood.id, is_active: true }]);
  });

  it('are deleted with their agent', async () => {
    const [booked] = (await create(BOOKED)).body.data;
    await api.ask('DELETE', path.replace('/post-call-questions', ''));
    expect((await api.ask('GET', path)).status).toBe(404);
    const rows = await api.database.query.selectFrom('post_call_questions').select('id').execute();
    expect(rows).not.toContainEqual({ id: booked.id });
  });

  it('get 404 if they belong to another organization or agent', async () => {
    const [booked] = (await create(BOOKED)).body.data;
    const foreign = [
      await api.ask('GET', path, undefined, OTHER_KEY),
      await api.ask('POST', path, { questions: [BOOKED] }, OTHER_KEY),
      await api.ask('DELETE', `${path}/${booked.id}`, undefined, OTHER_KEY),
      await api.ask('GET', `/v1/agents/${await createAgent(api)}/post-call-questions/${booked.id}`),
      await api.ask('GET', `${path}/nonsense`),
    ];
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await api.ask('POST', path, { questions: [BOOKED] }, READ_KEY)).status).toBe(403);
  });
});
