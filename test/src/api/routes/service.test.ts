import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../../src/configuration/settings.ts';
import { fault } from '../../../../src/doctor/finding.ts';
import { ADMIN_KEY, OTHER_KEY, READ_KEY, testApi } from '../test-api.ts';

describe('the service itself over the API', () => {
  it('lists settings with value, default and variable, and no secret', async () => {
    const settings = settingsOf({ HTTP_PORT: '8000', SIP_SECRET: 'cymru' });
    const { body, text } = await (await testApi({ settings })).ask('GET', '/v1/settings');
    expect(body.data).toContainEqual(
      expect.objectContaining({ variable: 'HTTP_PORT', set: true, value: '8000', default_value: '8080' }),
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({ variable: 'SIP_SECRET', set: true, value: null, secret: true }),
    );
    expect(text).not.toContain('cymru');
  });

  it('runs the checks of the doctor', async () => {
    const run = async () => [fault('openai', 'refuses the key (401)', 'set OPENAI_API_KEY')];
    const { body } = await (await testApi({ checkRuns: { run } })).ask('POST', '/v1/doctor');
    expect(body.data).toEqual([
      { verdict: 'fault', subject: 'openai', text: 'refuses the key (401)', remedy: 'set OPENAI_API_KEY' },
    ]);
  });

  it('is closed to keys without the scope admin and to administrators of other organizations', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      return [];
    };
    const api = await testApi({ checkRuns: { run } });
    for (const key of [READ_KEY, OTHER_KEY]) {
      expect((await api.ask('GET', '/v1/settings', undefined, key)).status).toBe(403);
      expect((await api.ask('POST', '/v1/doctor', undefined, key)).status).toBe(403);
    }
    expect(runs).toBe(0);
    expect((await api.ask('GET', '/v1/settings', undefined, ADMIN_KEY)).status).toBe(200);
  });
});
