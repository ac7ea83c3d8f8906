import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startWebhookReceiver } from '../demo/webhook-receiver.ts';
import { freeSipPort } from '../peers/sip-port.ts';
import { type EmulatedProviders, startEmulatedProviders } from './emulated-providers.ts';
import { eventually } from './eventually.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { dialIn, talker } from './staged-call.ts';

const webhookAgent = (url: string) =>
  talker({ webhook_url: url, webhook_subscriptions: ['event_call_status_changed', 'event_call_ended'] });

describe('a process that is killed during a call', () => {
  const running: ServiceProcess[] = [];
  let providers: EmulatedProviders | null = null;

  afterEach(async () => {
    for (const service of running.splice(0)) await service.kill();
    await providers?.close();
  });

  it('ends that call exactly once after the next start: the peer gets a BYE, transcript and webhook are kept', async () => {
    providers = await startEmulatedProviders();
    let secret: string | null = null;
    const hooks = await startWebhookReceiver(() => secret);
    const sipPort = await freeSipPort();
    const environment = {
      ...providers.environment,
      SIP_PORT: String(sipPort),
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      RTP_PORTS: '30000-30999',
    };
    const first = await startServiceProcess(environment);
    running.push(first);
    const agent = await first.api.createAgent(webhookAgent(hooks.url));
    const rotated = z.object({ secret: z.string() });
    secret = (await first.api.must(rotated, 'POST', `/v1/agents/${agent.id}/webhook-secret`)).secret;
    const { callId, report } = await dialIn(first, agent.id);
    await eventually(async () => expect((await first.api.call(callId)).transcript).not.toEqual([]));
    const recordingFile = join(first.dataDir, 'recordings', `${callId}.wav`);
    await eventually(() => expect(statSync(recordingFile).size).toBeGreaterThan(16_000));
    const staged = await first.api.stage({
      from_number: '+33123456789',
      to_number: '+33987654321',
      agent_id: agent.id,
    });
    await first.kill();

    const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
    running.push(second);
    const { endedBy, ladder } = await report;
    expect(endedBy, ladder.join('\n')).toBe('callee');
    const ended = await second.api.callIn(callId, ['completed', 'failed']);
    expect(ended).toMatchObject({ status: 'completed', end_reason: 'shutdown' });
    expect(ended.transcript?.[0]?.role).toBe('agent');
    expect(ended.duration_seconds, 'as long as the recording').toBeGreaterThanOrEqual(1);
    const told = await hooks.event('event_call_ended');
    expect(told).toMatchObject({ call_id: callId, data: { end_reason: 'shutdown' } });
    expect((await second.api.call(staged)).status, 'a staged call goes on to its own deadline').toBe('staged');
    const recording = await fetch(ended.recording_url ?? '');
    expect(recording.status).toBe(200);
    expect((await recording.arrayBuffer()).byteLength).toBeGreaterThan(16_000);

    await second.stop();
    const third = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
    running.push(third);
    expect(await third.api.call(callId)).toEqual({ ...ended, recording_url: expect.any(String) });
    expect(hooks.events.filter(({ type, call_id }) => type === 'event_call_ended' && call_id === callId)).toHaveLength(
      1,
    );
    await hooks.close();
  });

  it('that is asked to stop ends what goes on as shutdown, and exits with 0', async () => {
    providers = await startEmulatedProviders();
    const service = await startServiceProcess({ ...providers.environment, RTP_PORTS: '30000-30999' });
    running.push(service);
    const agent = await service.api.createAgent(talker());
    const { report } = await dialIn(service, agent.id);
    const exited = once(service.child, 'exit');
    service.child.kill('SIGINT');
    expect((await report).endedBy).toBe('callee');
    expect(await exited).toEqual([0, null]);
  });
});
