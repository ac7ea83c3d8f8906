import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { call } from '../../caller/caller.ts';
import { SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess } from '../rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';

let providers: EmulatedProviders;
beforeAll(async () => {
  providers = await startEmulatedProviders();
});
afterAll(() => providers?.close());

describe('a service process that gets SIGTERM', () => {
  it('is not ready, refuses OPTIONS and INVITE with 503, and exits after the call in progress has ended by itself', async () => {
    const service = await startServiceProcess(providers.environment);
    const { id } = await service.api.createAgent(talker());
    const live = await dialIn(service, id);
    const exited = once(service.child, 'exit');
    service.child.kill('SIGTERM');
    // A readiness check before the drain would give calls notice.
    await eventually(() => expect(service.output()).toContain('service stop requested'));
    expect((await fetch(`${service.httpUrl}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.httpUrl}/healthz`)).status).toBe(200);
    const phone = await SipPhone.open({ host: '127.0.0.1', port: service.sipPort });
    onTestFinished(() => phone.close());
    phone.newCall().options();
    const options = await phone.nextResponse('OPTIONS');
    expect([options.status, getHeader(options.headers, 'Retry-After')]).toEqual([503, '10']);
    // A readiness check just before the signal counts as a balancer's: new calls are refused five seconds later.
    await eventually(async () => {
      const refused = await call({ target: { host: '127.0.0.1', port: service.sipPort }, to: TO, from: FROM });
      expect(refused.statuses.at(-1)).toBe(503);
    });
    expect((await service.api.call(live.callId)).status).toBe('in_progress');
    expect((await live.hangUp()).endedBy).toBe('caller');
    expect(await exited).toEqual([0, null]);
  });

  it('ends the calls that remain after DRAIN_SECONDS with BYE', async () => {
    const service = await startServiceProcess({ ...providers.environment, DRAIN_SECONDS: '1' });
    const { id } = await service.api.createAgent(talker());
    const live = await dialIn(service, id);
    const exited = once(service.child, 'exit');
    service.child.kill('SIGTERM');
    expect((await live.report).endedBy).toBe('callee');
    expect(await exited).toEqual([0, null]);
    expect(service.output()).toMatch(/"reason":"shutdown".*"call ended"/);
  });
});
