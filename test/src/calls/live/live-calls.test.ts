import { describe, expect, it } from 'vitest';
import type { CallHost, HostCommand } from '../../../../src/calls/host/call-host.ts';
import { LiveCalls } from '../../../../src/calls/live/live-calls.ts';
import { MediaReservations } from '../../../../src/calls/live/media-reservations.ts';
import { NO_PRICES } from '../../../../src/calls/usage/price-table.ts';
import { createLogger } from '../../../../src/log/log.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import {
  newCall,
  START_MS,
  storeAgent,
  temporaryDatabase,
  testConfiguration,
} from '../../storage/temporary-database.ts';

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
  const log = createLogger({ level: 'fatal', format: 'json', secrets: [] });
  const live = new LiveCalls({
    calls,
    journal,
    host,
    reservations: new MediaReservations({ host, webMedia: { webMedia: () => null }, dataDir: '/nowhere' }),
    clock: { wallMs: () => START_MS },
    transferDestinations: { judge: async () => ({ ok: false, reason: 'no transfer here' }) },
    prices: NO_PRICES,
    log: () => log,
    recordingUrl: () => '',
    onStored: () => {},
    traceOf: () => null,
    onEnded: () => {},
    onLost: () => {},
  });
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
    leg: () => ({ answer() {}, hangUp() {}, transfer() {}, onEvent() {} }),
  });
  return { callId: call.id, commands, launched, live, started };
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
});
