import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallControlEvent } from '../../../../engine/ports/call-control.ts';
import { MediaServiceError } from '../../../../sip/media/media-service-error.ts';
import type { CallHost, HostCommand } from '../../../../src/calls/host/call-host.ts';
import { type LegReports, LiveCalls } from '../../../../src/calls/live/live-calls.ts';
import { MediaReservations } from '../../../../src/calls/live/media-reservations.ts';
import { NO_PRICES } from '../../../../src/calls/usage/price-table.ts';
import { createLogger } from '../../../../src/log/log.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import {
  newCall,
  START_MS,
  storeAgent,
  temporaryDatabase,
  testConfiguration,
} from '../../storage/temporary-database.ts';

const BRIDGED_DIALOG = {
  sipCallId: 'bridge@trunkline',
  localUri: 'sip:agent@127.0.0.1',
  remoteUri: 'sip:desk@127.0.0.1',
  localCseq: 1,
  routeSet: [],
  remoteTarget: 'sip:desk@127.0.0.1:5060',
  transport: 'udp',
  source: { address: '127.0.0.1', port: 5060 },
} as const;
const logLine = z.object({
  msg: z.string(),
  reason: z.string().optional(),
  duration_seconds: z.number().optional(),
});
const TERMINATE = { type: 'call.terminate', reason: 'terminated' } as const;

/** A call whose host has not responded to `start` yet. */
async function launchedCall() {
  const database = await temporaryDatabase();
  const { calls, journal } = createRepositories(database);
  const stored = newCall(await storeAgent(database), { status: 'in_progress' });
  await calls.createCall(stored);
  const call = await calls.find(stored.id);
  if (call === null) throw new Error('the call is not stored');
  const started = Promise.withResolvers<void>();
  const commands: HostCommand[] = [];
  const host: CallHost = {
    reserve: async () => ({ port: 40_000, format: { encoding: 'mulaw', sampleRateHz: 8_000 } }),
    prepare: async () => {},
    start: () => started.promise,
    activities: async () => [],
    send: (command) => commands.push(command),
    onEvent: () => {},
  };
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ level: 'info', format: 'json', secrets: [], destination });
  const logged = () => lines.map((line) => logLine.parse(JSON.parse(line)));
  const live = new LiveCalls({
    calls,
    journal,
    host,
    reservations: new MediaReservations({ host, webMedia: { webMedia: () => null }, dataDir: '/nowhere' }),
    clock: { wallMs: () => START_MS },
    transferPolicy: { judge: async () => ({ ok: false, reason: 'no transfer here' }) },
    prices: NO_PRICES,
    log: () => log,
    recordingUrl: () => '',
    onStored: () => {},
    traceOf: () => null,
    onEnded: () => {},
    onLost: () => {},
  });
  const leg: { reports?: LegReports; emit?: (event: CallControlEvent) => void } = {};
  const launched = live.launch({
    call,
    agent: {
      agentId: call.agentId ?? '',
      agentVersion: 1,
      isOverridden: false,
      configuration: testConfiguration,
      sealedSecrets: new Map(),
    },
    route: { leg: 'callee', trunk_id: null },
    leg: (reports) => {
      leg.reports = reports;
      const onEvent = (listener: (event: CallControlEvent) => void) => {
        leg.emit = listener;
      };
      return { answer() {}, hangUp() {}, transfer() {}, onEvent };
    },
  });
  const bridgedDialog = async () => (await calls.find(call.id))?.bridgedDialog;
  return { bridgedDialog, callId: call.id, commands, launched, leg, live, logged, started };
}

describe('a call whose host has not responded yet', () => {
  it('is live: its leg may be answered already, and a request to end it reaches the host', async () => {
    const { callId, commands, launched, live, started } = await launchedCall();
    live.byId.get(callId)?.post(TERMINATE);
    expect(commands).toEqual([{ type: 'live_command', callId, command: TERMINATE }]);
    expect(live.launched).toBe(0);
    started.resolve();
    await launched;
    expect([...live.byId.keys()]).toEqual([callId]);
    expect(live.launched).toBe(1);
  });

  it('is over for those who wait for its end when the host refuses it', async () => {
    const { callId, launched, live, started } = await launchedCall();
    const ended = live.byId.get(callId)?.ended;
    started.reject(new Error('the call host exited'));
    await expect(launched).rejects.toThrow('the call host exited');
    expect(await ended).toBe('internal_error');
    expect([live.byId.size, live.launched]).toEqual([0, 0]);
  });

  it.each([
    ['internal_error', new Error('the call host exited')],
    ['media_error', new MediaServiceError('no_worker', 'The call host exited')],
  ])('logs its start and its end (%s) once when the host refuses it', async (reason, error) => {
    const { launched, logged, started } = await launchedCall();
    started.reject(error);
    await expect(launched).rejects.toThrow(error.message);
    expect(logged()).toEqual([{ msg: 'call started' }, { msg: 'call ended', reason, duration_seconds: 0 }]);
  });
});

it('a bridge whose leg was answered and cannot be connected leaves no bridged leg', async () => {
  const { bridgedDialog, leg } = await launchedCall();
  leg.reports?.onBridgedDialog({ recovery: () => BRIDGED_DIALOG });
  await eventually(async () => expect(await bridgedDialog()).toEqual(BRIDGED_DIALOG));
  leg.emit?.({ type: 'transfer_failed', reason: 'the SDP answer could not be used' });
  await eventually(async () => expect(await bridgedDialog()).toBeNull());
});
