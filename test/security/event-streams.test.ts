import { describe, expect, it, onTestFinished } from 'vitest';
import { DATABASES } from '../postgres/databases.ts';
import type { ApiClient } from '../service/rig/api-client.ts';
import { startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../service/rig/service-process.ts';
import { FROM, TO, talker } from '../service/rig/staged-call.ts';
import { startTestService } from '../service/rig/test-service.ts';
import { otherOrganization } from './other-organization.ts';

/** More than the node serves. */
const ATTEMPTS = 210;

async function stagedCall(api: ApiClient): Promise<string> {
  return api.stage({ from_number: FROM, to_number: TO, agent_id: (await api.createAgent(talker())).id });
}

describe.each(DATABASES)('on %s', (_, environment) => {
  it('one API key cannot take the event streams of another organization', async () => {
    const providers = await startEmulatedProviders();
    onTestFinished(providers.close);
    const test = await startTestService({ ...providers.environment, ...(await environment()) });
    onTestFinished(test.close);
    const other = await otherOrganization(test);
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const open = (callId: string, key: string) =>
      fetch(`${test.service.httpUrl}/v1/calls/${callId}/events`, {
        headers: { 'x-api-key': key },
        signal: leaving.signal,
      });
    const callId = await stagedCall(test.api);
    const statuses: number[] = [];
    for (let count = 0; count < ATTEMPTS; count++) statuses.push((await open(callId, TEST_API_KEY)).status);
    expect(statuses).toContain(429);
    expect((await open(await stagedCall(other.api), other.key)).status).toBe(200);
  });
});
