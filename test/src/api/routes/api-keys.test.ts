import { Writable } from 'node:stream';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { ADMIN_KEY, OTHER_KEY, READ_KEY, testApi } from '../test-api.ts';

const ROBOT = { name: 'robot', scopes: ['read'] };
/** Valid keys of an organization. */
const KEYS_MAX = 200;

describe('API keys over the API', () => {
  it('are shown once, work at once, and are listed without their secret', async () => {
    const api = await testApi();
    const created = await api.ask('POST', '/v1/api-keys', ROBOT);
    expect([created.status, created.body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        ...ROBOT,
        organization_id: expect.any(String),
        key: expect.stringMatching(/^tl_[\w-]{43}$/),
      },
    ]);
    const { id, key } = created.body.data;
    expect((await api.ask('GET', '/v1/agents', undefined, key)).status).toBe(200);
    expect((await api.ask('POST', '/v1/knowledge-bases', { name: 'x' }, key)).status).toBe(403);
    const listed = await api.ask('GET', '/v1/api-keys');
    expect(listed.text).not.toContain(key);
    expect(listed.body.data.find((one) => one.id === id)).toEqual({
      id,
      ...ROBOT,
      organization_id: created.body.data.organization_id,
      prefix: key.slice(0, 10),
      created_at: expect.any(String),
      revoked_at: null,
    });
  });

  it('are refused as soon as they are revoked, and a second revocation changes nothing', async () => {
    const api = await testApi();
    const { id, key } = (await api.ask('POST', '/v1/api-keys', ROBOT)).body.data;
    expect((await api.ask('DELETE', `/v1/api-keys/${id}`)).status).toBe(200);
    expect((await api.ask('GET', '/v1/agents', undefined, key)).status).toBe(401);
    const before = (await api.ask('GET', '/v1/api-keys')).body.data.find((one) => one.id === id);
    api.clock.advance(1_000);
    expect((await api.ask('DELETE', `/v1/api-keys/${id}`)).status).toBe(200);
    expect((await api.ask('GET', '/v1/api-keys')).body.data.find((one) => one.id === id)).toEqual(before);
  });

  it.each([[['read']], [['write']], [['read', 'write']]])(
    'without the scope `admin` cannot create, list or revoke keys: %j',
    async (scopes) => {
      const api = await testApi();
      const { id, key } = (await api.ask('POST', '/v1/api-keys', { name: 'limited', scopes })).body.data;
      for (const wanted of [['admin'], ['read']])
        expect((await api.ask('POST', '/v1/api-keys', { name: 'more', scopes: wanted }, key)).status).toBe(403);
      expect((await api.ask('GET', '/v1/api-keys', undefined, key)).status).toBe(403);
      expect((await api.ask('DELETE', `/v1/api-keys/${id}`, undefined, key)).status).toBe(403);
    },
  );

  it('belong to the organization of the key that created them, and are hidden from others', async () => {
    const api = await testApi();
    const ours = (await api.ask('POST', '/v1/api-keys', ROBOT)).body.data;
    const theirs = (await api.ask('POST', '/v1/api-keys', ROBOT, OTHER_KEY)).body.data;
    expect((await api.ask('GET', '/v1/api-keys/current', undefined, theirs.key)).body.data.organization_id).not.toBe(
      ours.organization_id,
    );
    const listed = (await api.ask('GET', '/v1/api-keys', undefined, OTHER_KEY)).body.data.map(({ id }) => id);
    expect(listed).toContain(theirs.id);
    expect(listed).not.toContain(ours.id);
    expect((await api.ask('DELETE', `/v1/api-keys/${ours.id}`, undefined, OTHER_KEY)).status).toBe(404);
    expect((await api.ask('GET', '/v1/agents', undefined, ours.key)).status).toBe(200);
  });

  it('are created and revoked with a log line that has the ids of both keys and no secret', async () => {
    let lines = '';
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines += chunk;
        done();
      },
    });
    const api = await testApi({ logger: pino({ level: 'info' }, destination) });
    const { id, key } = (await api.ask('POST', '/v1/api-keys', ROBOT)).body.data;
    await api.ask('DELETE', `/v1/api-keys/${id}`);
    const by = (await api.ask('GET', '/v1/api-keys/current')).body.data.id;
    const audit = lines
      .split('\n')
      .filter((line) => line.includes('"API key '))
      .map((line) => JSON.parse(line));
    expect(audit).toMatchObject([
      { msg: 'API key created', key_id: id, by_key_id: by, scopes: ['read'] },
      { msg: 'API key revoked', key_id: id, by_key_id: by },
    ]);
    for (const secret of [key, ADMIN_KEY, READ_KEY]) expect(lines).not.toContain(secret);
  });

  it.each([
    [{ name: '', scopes: ['read'] }, 'name'],
    [{ name: '  ', scopes: ['read'] }, 'name'],
    [{ name: 'TRUNKLINE_API_KEY', scopes: ['read'] }, 'name'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['root'] }, 'scopes[0]'],
    [{ name: 'x', organization_id: '00000000-0000-4000-8000-000000000002' }, 'organization_id'],
  ])('are not created from %j', async (body, field) => {
    const api = await testApi();
    const answer = await api.ask('POST', '/v1/api-keys', body);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
  });

  it('are bounded for each organization; a revoked one makes room', async () => {
    const api = await testApi();
    const { organizations } = api.repositories;
    const organizationId = (await api.ask('GET', '/v1/api-keys/current')).body.data.organization_id;
    const active = await organizations.countActiveKeys(organizationId);
    for (let at = active; at < KEYS_MAX; at++)
      await organizations.addKey({
        organizationId,
        name: 'many',
        key: `key-${at}`.padEnd(32, '.'),
        scopes: ['read'],
        nowMs: 0,
      });
    expect((await api.ask('POST', '/v1/api-keys', ROBOT)).status).toBe(409);
    const one = (await api.ask('GET', '/v1/api-keys')).body.data.find(({ name }) => name === 'many');
    await api.ask('DELETE', `/v1/api-keys/${one?.id}`);
    expect((await api.ask('POST', '/v1/api-keys', ROBOT)).status).toBe(201);
  });
});
