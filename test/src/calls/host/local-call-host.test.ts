import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent-schema.ts';
import type { CallStart } from '../../../../src/calls/host/call-host.ts';
import { LegMedia } from '../../../../src/calls/host/leg-media.ts';
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

/** A start of the call `c` with an agent of these fields. */
function startOf(fields: object): CallStart {
  const configuration = agentConfigurationSchema.parse({
    llm: { provider: 'test', model: 'model' },
    voice: { provider: 'test', name: 'voice' },
    transcriber: { provider: 'test' },
    states: [{ name: 'start' }],
    initial_state_name: 'start',
    ...fields,
  });
  return {
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
  };
}

const RESERVATION = { callId: 'c', kind: 'rtp', codec: 'pcmu', hasEngine: true, mediaTimeoutMs: 30_000 } as const;

it.each([true, false])('noise of the user’s line is suppressed if the agent wants it: %s', async (isWanted) => {
  const media = new ScriptedSession(null);
  const host = localCallHost({ open: async () => media.session, openWeb: noWebMedia }, []);
  await host.reserve({ ...RESERVATION, recordingPath: null });
  await host.start(startOf({ ...(isWanted && { noise_suppression: true }) }));
  expect(media.suppressesNoise).toBe(isWanted);
  host.send({ type: 'control_event', callId: 'c', event: { type: 'ended', cause: 'remote_bye' } });
  host.send({ type: 'release', mediaId: 'c', keepsRecording: false });
});

it('a call that cannot start leaves no tape, and its media can be released', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const media = new ScriptedSession(null);
  const fault = new Error('the media take no listener');
  const audio = {
    ...media.session.audio,
    onEvent: () => {
      throw fault;
    },
  };
  const host = localCallHost({ open: async () => ({ ...media.session, audio }), openWeb: noWebMedia }, [], folder);
  await host.reserve({ ...RESERVATION, recordingPath: null });
  await expect(host.start(startOf({ record_tape: true }))).rejects.toThrow(fault);
  expect(await readdir(join(folder, 'tapes'))).toEqual([]);
  host.send({ type: 'release', mediaId: 'c', keepsRecording: false });
  expect(media.closed).toBe(true);
});

it('the recording is silent in a pause, and after a bridge that cannot be redacted also behind its end', () => {
  const [first, second] = [new ScriptedSession('/r/c.wav'), new ScriptedSession(null)];
  const legOf = (mediaId: string, { session }: ScriptedSession) =>
    new LegMedia({ mediaId, wire: { kind: 'rtp', session }, recordingPath: null, redactsAudio: true }, () => {});
  const leg = legOf('c', first);
  leg.pauseRecording(true);
  expect(first.isRecordingPaused).toBe(true);
  leg.pauseRecording(false);
  expect(first.isRecordingPaused).toBe(false);
  leg.bridge(legOf('desk', second));
  leg.pauseRecording(true);
  leg.pauseRecording(false);
  expect(first.isRecordingPaused).toBe(true);
});

it.each([true, false])('the recording is silent from a bridge on if it is to be redacted: %s', async (redactsAudio) => {
  const sessions = [new ScriptedSession('/r/c.unredacted.wav'), new ScriptedSession(null)];
  const opened = sessions.values();
  const asked: (string | undefined)[] = [];
  const open = async ({ recordingPath }: { readonly recordingPath?: string }) => {
    asked.push(recordingPath);
    const { value } = opened.next();
    if (value === undefined) throw new Error('the RTP port range is exhausted');
    return value.session;
  };
  const host = localCallHost({ open, openWeb: noWebMedia }, []);
  const leg = { callId: 'c', mediaTimeoutMs: 30_000 };
  await host.reserve({
    ...leg,
    kind: 'rtp',
    codec: 'pcmu',
    hasEngine: true,
    recordingPath: '/r/c.wav',
    ...(redactsAudio && { redactsAudio }),
  });
  await host.reserve({ ...leg, kind: 'second_leg', mediaId: 'desk' });
  host.send({ type: 'bridge', callId: 'c', mediaId: 'desk' });
  expect(sessions[0]?.isRecordingPaused).toBe(redactsAudio);
  expect(asked).toEqual([redactsAudio ? '/r/c.unredacted.wav' : '/r/c.wav', undefined]);
});

it('a recording that cannot be deleted after a recording refusal is reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { session } = new ScriptedSession(folder);
  const wire = { kind: 'rtp', session } as const;
  // A folder in the place of the file.
  const leg = new LegMedia({ mediaId: 'c', wire, recordingPath: folder, redactsAudio: false }, () => {});
  await expect(leg.refuseRecording()).rejects.toThrow(folder);
  expect(leg.isRefused).toBe(true);
});
