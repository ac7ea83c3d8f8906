import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../service/rig/eventually.ts';
import { FROM, TO } from '../service/rig/staged-call.ts';
import { callWithoutAck } from '../sip-endpoint/unacknowledging-caller.ts';
import { describeAttacks } from './attacked-service.ts';

const CALLS_MAX = 3;

describeAttacks('a flood of INVITEs of one source', { SOURCE_MAX_CALLS: String(CALLS_MAX) }, (service) => {
  it('opens no connection to a provider before an ACK, and no more calls than the limit', async () => {
    const { agentId, providers, test } = service();
    const invite = async () => {
      const callId = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
      const target = { host: '127.0.0.1', port: test.sipPort };
      const caller = await callWithoutAck(target, TO, { 'X-Service-Call-Id': callId });
      onTestFinished(() => caller.close());
      return caller;
    };
    const callers = [];
    for (let i = 0; i < CALLS_MAX; i++) callers.push(await invite());
    for (const caller of callers) await eventually(() => expect(caller.statuses).toContain(200));
    const tooMany = await invite();
    await eventually(() => expect(tooMany.statuses).toContain(486));
    expect(providers.deepgram.connections).toBe(0);
    callers[0]?.acknowledge();
    await eventually(() => expect(providers.deepgram.connections).toBeGreaterThan(0));
  });
});
