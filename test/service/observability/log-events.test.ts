import { expect, it, onTestFinished } from 'vitest';
import { CATALOGUE_EVENTS } from '../../src/log/catalogue-events.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';

it('a service logs only events of the catalogue, from its start to its stop', async () => {
  const providers = await startEmulatedProviders();
  onTestFinished(() => providers.close());
  const test = await startTestService({ ...providers.environment, LOG_LEVEL: 'debug' });
  try {
    const { id } = await test.api.createAgent(talker({ initial_message: 'Hello.' }));
    const { callId, said, hangUp } = await dialIn(test, id);
    await said('Hello.');
    await hangUp();
    await test.api.callIn(callId, ['completed']);
    expect((await fetch(`${test.service.httpUrl}/nowhere`)).status).toBe(404);
  } finally {
    await test.close();
  }
  const events = test
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  expect(events).toContain('call started');
  expect(events).toContain('request completed');
  expect([...new Set(events)].filter((event) => !CATALOGUE_EVENTS.includes(event))).toEqual([]);
});
