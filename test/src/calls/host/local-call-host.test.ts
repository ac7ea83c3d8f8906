import { describe, expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent.ts';
import { describeCallHost } from './call-host-contract.ts';
import { localCallHost, noWebMedia, openBed, ScriptedSession } from './scripted-host.ts';

describeCallHost('in this thread', openBed);

describe('web media of a call host', () => {
  it('are those of a reserved web call, until it is released', async () => {
    const { session } = new ScriptedSession(null);
    const channel = { connected: false, write() {}, next: () => null, onAgentAudio() {}, onClear() {} };
    const web = { ...session, channel, start() {}, report() {} };
    const host = localCallHost({ open: async () => session, openWeb: async () => web }, []);
    const reservation = { recordingPath: null, mediaTimeoutMs: 30_000 };
    await host.reserve({ ...reservation, callId: 'web', kind: 'web' });
    await host.reserve({ ...reservation, callId: 'phone', kind: 'rtp', codec: 'pcmu', hasEngine: true });
    expect([host.webMedia('web'), host.webMedia('phone'), host.webMedia('unknown')]).toEqual([web, null, null]);
    host.send({ type: 'release', mediaId: 'web', keepsRecording: false });
    expect(host.webMedia('web')).toBeNull();
  });
});

it.each([true, false])('noise of the user’s line is suppressed if the agent wants it: %s', async (isWanted) => {
  const media = new ScriptedSession(null);
  const host = localCallHost({ open: async () => media.session, openWeb: noWebMedia }, []);
  const reservation = { recordingPath: null, mediaTimeoutMs: 30_000 };
  await host.reserve({ ...reservation, callId: 'c', kind: 'rtp', codec: 'pcmu', hasEngine: true });
  const configuration = agentConfigurationSchema.parse({
    llm: { provider: 'test', model: 'model' },
    voice: { provider: 'test', name: 'voice' },
    transcriber: { provider: 'test' },
    states: [{ name: 'start' }],
    initial_state_name: 'start',
    ...(isWanted && { noise_suppression: true }),
  });
  await host.start({
    organizationId: 'o',
    agent: { agentId: 'a', agentVersion: 1, isOverridden: false, configuration, sealedSecrets: new Map() },
    parameters: {
      callId: 'c',
      agentVersion: 1,
      direction: 'inbound',
      fromNumber: null,
      toNumber: null,
      dynamicVariables: {},
      startedWallMs: 0,
    },
  });
  expect(media.suppressesNoise).toBe(isWanted);
  host.send({ type: 'control_event', callId: 'c', event: { type: 'ended', cause: 'remote_bye' } });
  host.send({ type: 'release', mediaId: 'c', keepsRecording: false });
});
