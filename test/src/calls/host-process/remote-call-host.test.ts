import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent-schema.ts';
import type { CallStart, HostEvent, MediaReservation } from '../../../../src/calls/host/call-host.ts';
import { RECORDING_RETRY_MS, RECORDING_TRIES } from '../../../../src/calls/host-process/lost-calls.ts';
import { temporaryFolder } from '../../storage/temporary-database.ts';
import { describeCallHost } from '../host/call-host-contract.ts';
import { openBed } from '../host/scripted-host.ts';
import { type RemoteBed, remoteBed, SILENT_SERVICES } from './remote-bed.ts';

describeCallHost('behind a channel', () => openBed(remoteBed));

const CONFIGURATION = agentConfigurationSchema.parse({
  llm: { provider: 'test', model: 'model' },
  voice: { provider: 'test', name: 'voice' },
  transcriber: { provider: 'test' },
  states: [{ name: 'start' }],
  initial_state_name: 'start',
  initial_message: 'Hello.',
});
const phone = (callId: string, more: Partial<Extract<MediaReservation, { kind: 'rtp' }>> = {}): MediaReservation => ({
  callId,
  kind: 'rtp',
  codec: 'pcmu',
  hasEngine: true,
  recordingPath: null,
  mediaTimeoutMs: 30_000,
  ...more,
});
const start = (callId: string): CallStart => ({
  organizationId: 'o',
  agent: { agentId: 'a', agentVersion: 1, isOverridden: false, configuration: CONFIGURATION, sealedSecrets: new Map() },
  parameters: {
    callId,
    agentVersion: 1,
    direction: 'inbound',
    fromNumber: null,
    toNumber: null,
    dynamicVariables: {},
    startedWallMs: Date.now(),
  },
});

function bed(recorded?: () => number | Error) {
  let remote: RemoteBed | null = null;
  openBed((inner) => {
    remote = remoteBed(inner, SILENT_SERVICES, recorded);
    return remote;
  });
  if (remote === null) throw new Error('no bed');
  const events: HostEvent[] = [];
  const opened: RemoteBed = remote;
  opened.host.onEvent((event) => events.push(event));
  const answered = async (callId: string, recordingPath: string | null = null) => {
    await opened.host.reserve(phone(callId, { recordingPath }));
    await opened.host.start(start(callId));
    opened.host.send({ type: 'control_event', callId, event: { type: 'answered' } });
    await opened.delivered();
    events.length = 0;
  };
  return { ...opened, events, answered };
}

describe('a call host whose process exits', () => {
  it('ends each of its calls once: hang-up, end, recording, closed', async () => {
    const { answered, delivered, events, exit, repaired } = bed();
    await answered('one', '/recordings/one.wav');
    await answered('two');
    exit('killed by SIGKILL');
    await delivered();
    const of = (callId: string) => events.filter((event) => 'callId' in event && event.callId === callId);
    expect(of('one')).toEqual([
      { type: 'control', callId: 'one', command: { type: 'hang_up' } },
      expect.objectContaining({
        type: 'finished',
        ended: expect.objectContaining({
          reason: 'internal_error',
          detail: 'the call host exited: killed by SIGKILL',
        }),
      }),
      {
        type: 'recorded',
        callId: 'one',
        recording: { path: '/recordings/one.wav', complete: false, durationMs: 1_500 },
      },
      { type: 'closed', callId: 'one', reason: 'internal_error' },
    ]);
    expect(of('two').map(({ type }) => type)).toEqual(['control', 'finished', 'closed']);
    expect(repaired).toEqual(['/recordings/one.wav']);
  });

  it('finishes a recording that could not be read at first', async () => {
    const error = new Error('EMFILE: too many open files');
    const outcomes = [error, 1_500];
    const { answered, clock, delivered, events, exit, faults } = bed(() => outcomes.shift() ?? error);
    await answered('one', '/recordings/one.wav');
    exit('killed by SIGKILL');
    await delivered();
    expect([events.at(-1)?.type, faults]).toEqual(['finished', [{ callId: 'one', error }]]);
    clock.advance(RECORDING_RETRY_MS);
    await delivered();
    const recording = { path: '/recordings/one.wav', complete: false, durationMs: 1_500 };
    expect(events.slice(-2)).toMatchObject([{ type: 'recorded', recording }, { type: 'closed' }]);
    expect(faults).toHaveLength(1);
  });

  it('keeps recordings that cannot be read for the next start, and reports none', async () => {
    const error = new Error('EMFILE: too many open files');
    const { answered, clock, delivered, events, exit, faults, host } = bed(() => error);
    const folder = await temporaryFolder();
    const pathOf = (callId: string) => join(folder, `${callId}.wav`);
    for (const callId of ['talked', 'redirected']) await writeFile(pathOf(callId), 'audio');
    await answered('talked', pathOf('talked'));
    await host.reserve(phone('redirected', { hasEngine: false, recordingPath: pathOf('redirected') }));
    exit('killed by SIGKILL');
    host.send({ type: 'release', mediaId: 'redirected', keepsRecording: true });
    await delivered();
    for (let tried = 1; tried < RECORDING_TRIES; tried += 1) {
      expect(events.filter(({ type }) => type === 'closed' || type === 'media_closed')).toEqual([]);
      clock.advance(RECORDING_RETRY_MS);
      await delivered();
    }
    expect(events.find(({ type }) => type === 'recorded')).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'media_closed', recording: { path: null, complete: true } });
    expect(events.filter(({ type }) => type === 'closed')).toHaveLength(1);
    const both = ['talked', 'redirected'].map((callId) => ({ callId, error }));
    expect(faults).toEqual(Array.from({ length: RECORDING_TRIES }, () => both).flat());
    expect(['talked', 'redirected'].map((callId) => existsSync(pathOf(callId)))).toEqual([true, true]);
  });

  it('reports no second end of a call that had finished', async () => {
    const { answered, delivered, events, exit, host } = bed();
    await answered('c');
    host.send({ type: 'control_event', callId: 'c', event: { type: 'ended', cause: 'remote_bye' } });
    await delivered();
    exit('killed by SIGKILL');
    await delivered();
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('reports the loss of media without an engine, and closes them once they are released', async () => {
    const { delivered, events, exit, host } = bed();
    await host.reserve(phone('c', { hasEngine: false, recordingPath: '/recordings/c.wav' }));
    await host.reserve({ kind: 'second_leg', callId: 'c', mediaId: 'second', mediaTimeoutMs: 30_000 });
    exit('killed by SIGKILL');
    expect(events).toEqual([
      { type: 'media_lost', mediaId: 'c', cause: 'failed' },
      { type: 'media_lost', mediaId: 'second', cause: 'failed' },
    ]);
    events.length = 0;
    host.send({ type: 'release', mediaId: 'second', keepsRecording: false });
    host.send({ type: 'release', mediaId: 'c', keepsRecording: true });
    await delivered();
    expect(events.filter((event) => 'mediaId' in event && event.mediaId === 'c')).toEqual([
      { type: 'released', mediaId: 'c', quality: null },
      {
        type: 'media_closed',
        mediaId: 'c',
        recording: { path: '/recordings/c.wav', complete: false, durationMs: 1_500 },
      },
    ]);
    expect(events.filter((event) => 'mediaId' in event && event.mediaId === 'second')).toHaveLength(2);
    expect(host.size).toBe(0);
  });

  it('closes media whose release it had not confirmed', async () => {
    const { delivered, events, exit, host } = bed();
    await host.reserve(phone('c'));
    host.send({ type: 'release', mediaId: 'c', keepsRecording: false });
    exit('killed by SIGKILL');
    await delivered();
    expect(events.map(({ type }) => type)).toEqual(['released', 'media_closed']);
  });

  it('rejects the start of a call that did not begin, and ends it with its release alone', async () => {
    const { delivered, events, exit, host } = bed();
    await host.reserve(phone('c'));
    const starting = host.start(start('c'));
    exit('killed by SIGKILL');
    await expect(starting).rejects.toThrow('exited');
    expect(events).toEqual([]);
    host.send({ type: 'release', mediaId: 'c', keepsRecording: false });
    await delivered();
    expect(events.map(({ type }) => type)).toEqual(['released', 'media_closed']);
  });

  it('ends a call whose engine has reported something before the response to its start', async () => {
    const { events, host } = bed();
    const starting = host.start(start('c'));
    host.receive({ type: 'event', event: { type: 'control', callId: 'c', command: { type: 'answer' } } });
    host.exited('killed by SIGKILL');
    await starting;
    expect(events.map(({ type }) => type)).toEqual(['control', 'control', 'finished', 'closed']);
  });

  it('rejects requests that wait and those that follow, and reports no activities', async () => {
    const { exit, host } = bed();
    const waiting = host.reserve(phone('c'));
    const activities = host.activities();
    exit('killed by SIGKILL');
    await expect(waiting).rejects.toMatchObject({ code: 'no_worker' });
    await expect(host.reserve(phone('d'))).rejects.toMatchObject({ code: 'no_worker' });
    expect(await activities).toEqual([]);
    expect(host.size).toBe(0);
  });

  it('keeps the turns that it had reported in the metrics of the call', async () => {
    const { answered, delivered, events, exit, host } = bed();
    await answered('c');
    const record = {
      turn: 1,
      startUs: 0,
      user: null,
      utterance: 1,
      askedMs: [],
      firstTokenMs: null,
      voiceRequestedMs: null,
      firstAudioMs: null,
      heardMs: 10,
      answerHeardMs: null,
      fillersMs: [],
      tools: [],
      interrupted: true,
      falseInterruptions: 2,
      ducked: 3,
      echoWords: 0,
    };
    const entries = [
      { type: 'turn', record, isClosed: false } as const,
      { type: 'turn', record, isClosed: true } as const,
    ];
    host.receive({ type: 'event', event: { type: 'journal', callId: 'c', entries } });
    exit('killed by SIGKILL');
    await delivered();
    expect(events.find(({ type }) => type === 'finished')).toMatchObject({
      ended: { metrics: { turns: 0, interruptions: 1, falseInterruptions: 2, ducked: 3 } },
    });
  });
});
