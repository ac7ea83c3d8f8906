import { expect, it } from 'vitest';
import { OTHER_KEY, testApi } from '../test-api.ts';

const CARRIER = {
  name: 'Carrier',
  termination_uri: 'sip.example.com',
  username: 'desk',
  password: 'secret',
  register: true,
};

it('a trunk update keeps omitted fields, clears null ones, and registers again', async () => {
  const replaced: unknown[] = [];
  const registrations = {
    add: () => {},
    remove: async () => {},
    replace: async (trunk: unknown) => void replaced.push(trunk),
  };
  const api = await testApi({ registrations });
  const { data } = (await api.ask('POST', '/v1/sip-trunks', { ...CARRIER, max_concurrent_calls: 5 })).body;
  const url = `/v1/sip-trunks/${data.id}`;
  const patch = {
    termination_uri: 'sip2.example.com:5070',
    max_concurrent_calls: null,
    codecs: ['pcma'],
    priority: 1,
    options_interval: 30,
  };
  const changed = await api.ask('PATCH', url, patch);
  expect([changed.status, changed.body.data]).toEqual([200, { ...data, ...patch }]);
  expect((await api.ask('GET', url)).body.data).toEqual(changed.body.data);
  expect((await api.ask('PATCH', url, {})).body.data).toEqual(changed.body.data);
  const [stored] = await api.repositories.sipTrunks.registering();
  expect(api.secrets.open(stored?.passwordSealed ?? '', 'trunk_password')).toBe('secret');
  await api.ask('PATCH', url, { password: 'another' });
  const [renewed] = await api.repositories.sipTrunks.registering();
  expect(api.secrets.open(renewed?.passwordSealed ?? '', 'trunk_password')).toBe('another');
  expect(replaced).toEqual([stored, stored, renewed]);
  expect(JSON.stringify((await api.ask('GET', url)).body)).not.toContain('another');
  expect((await api.ask('PATCH', url, { name: 'Mine' }, OTHER_KEY)).status).toBe(404);

  for (const [invalidPatch, field] of [
    [{ password: null }, 'register'],
    [{ username: null }, 'register'],
    [{ name: null }, 'name'],
    [{ transport: 'pigeon' }, 'transport'],
    [{ termination_uri: 'a b' }, 'termination_uri'],
    [{ max_concurrent_calls: 0 }, 'max_concurrent_calls'],
    [{ options_interval: 9 }, 'options_interval'],
    [{ options_interval: 3_601 }, 'options_interval'],
    [{ registered: true }, 'registered'],
  ] as const) {
    const refused = await api.ask('PATCH', url, invalidPatch);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
  }
  expect((await api.ask('GET', url)).body.data).toEqual(changed.body.data);
  expect(replaced).toHaveLength(3);
  expect((await api.ask('PATCH', url, { register: false, username: null, password: null })).status).toBe(200);
  expect(await api.repositories.sipTrunks.registering()).toEqual([]);
});

it('simultaneous patches of different fields all apply, and their combination is validated', async () => {
  const api = await testApi();
  const { data } = (await api.ask('POST', '/v1/sip-trunks', { ...CARRIER, register: false })).body;
  const url = `/v1/sip-trunks/${data.id}`;
  const fields = { name: 'Other', transport: 'tcp', priority: 3, max_concurrent_calls: 5, codecs: ['pcma'] };
  const patches = Object.entries(fields).map(([name, value]) => ({ [name]: value }));
  const answers = await Promise.all(patches.map((patch) => api.ask('PATCH', url, patch)));
  expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200));
  expect((await api.ask('GET', url)).body.data).toEqual({ ...data, ...fields });

  const conflicting = [{ register: true }, { password: null }];
  const outcomes = await Promise.all(conflicting.map((patch) => api.ask('PATCH', url, patch)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 422]);
});
