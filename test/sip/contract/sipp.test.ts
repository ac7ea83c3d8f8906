import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { freeSipPort } from '../../peers/sip-port.ts';
import { runSipp, type SippRun } from '../../peers/sipp.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { SERVERS } from './contract-server.ts';

const NO_RESOURCES = { transactions: 0, dialogs: 0, timers: 0, connections: 0 };
const FINAL_STATUSES = ['completed', 'no_answer', 'busy', 'canceled', 'failed'];

describe.skipIf(!hasPeer('sipp')).each(SERVERS)(
  'sipp as the caller of staged calls over the $name',
  ({ isEmbedded, settings }) => {
    let providers: EmulatedProviders;
    let test: TestService;
    let agentId: string;

    beforeAll(async () => {
      providers = await startEmulatedProviders();
      test = await startTestService({
        ...providers.environment,
        ...settings,
        RATE_LIMIT_PER_MINUTE: '100000',
        RATE_LIMIT_PER_HOUR: '100000',
        // 20 calls a second for ten seconds, beside those of the other runs: the default of 200 refuses some.
        SOURCE_MAX_CALLS: '1000',
      });
      const agent = {
        name: 'Greeter',
        initial_message: 'Hello.',
        initial_state_name: 'talk',
        states: [{ name: 'talk' }],
      };
      agentId = (await test.api.createAgent(agent)).id;
    });
    afterAll(async () => {
      await test?.close();
      await providers?.close();
    });

    const stage = async (count: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        ids.push(await test.api.stage({ from_number: '+33123456789', to_number: '+33987654321', agent_id: agentId }));
      }
      return ids;
    };
    const dial = async (callIds: readonly string[], run: Partial<SippRun>) =>
      runSipp({
        target: `127.0.0.1:${test.sipPort}`,
        localPort: await freeSipPort(),
        callIds,
        callsPerSecond: 20,
        holdMs: 500,
        ...run,
      });
    const expectNoResources = () =>
      eventually(async () => {
        const sip = await test.service.sip.statistics();
        const { sessions } = await test.service.media.statistics();
        expect({ ...resourcesOf(sip), sessions, live: test.service.liveCalls() }).toEqual({
          ...NO_RESOURCES,
          sessions: 0,
          live: 0,
        });
      }, 50_000);
    const callOutcomes = async (callIds: readonly string[]) => {
      const calls = await Promise.all(callIds.map((id) => test.api.callIn(id, FINAL_STATUSES)));
      return new Set(calls.map((call) => `${call.status} ${call.end_reason}`));
    };

    /** Delays the media of all calls until `release`, so that no 200 can overtake a CANCEL. */
    const holdAnswers = () => {
      const { media } = test.service;
      const { promise: released, resolve } = Promise.withResolvers<void>();
      const open = media.open.bind(media);
      const spy = vi.spyOn(media, 'open').mockImplementation((options) => released.then(() => open(options)));
      return () => {
        spy.mockRestore();
        resolve();
      };
    };

    it('ends every call that it cancels before the answer as canceled', async () => {
      const callIds = await stage(10);
      const release = holdAnswers();
      const result = await dial(callIds, { scenario: 'cancel' }).finally(release);
      expect(result.exitCode, result.output).toBe(0);
      expect(await callOutcomes(callIds)).toEqual(new Set(['canceled canceled']));
    });

    // Transactions live 32 s after their calls (timers H and J): one wait for those of all runs.
    describe('in concurrent runs', { concurrent: true }, () => {
      it('completes 200 calls at 20 a second', async () => {
        const callIds = await stage(200);
        const result = await dial(callIds, { holdMs: 1000 });
        expect(result.exitCode, result.output).toBe(0);
        expect(await callOutcomes(callIds)).toEqual(new Set(['completed caller_hangup']));
      });

      it.each([
        { name: 'over UDP', run: {} },
        // The hold outlasts a repeated ACK: after its BYE, sipp mistakes a repeated 200 to the INVITE for the answer to the BYE.
        { name: 'over UDP with 10 % message loss', run: { lossPercent: 10, holdMs: 8_000 } },
        { name: 'over TCP', run: { transport: 'tcp' as const } },
      ])('completes every call $name', async ({ run }) => {
        const callIds = await stage(10);
        const result = await dial(callIds, run);
        expect(result.exitCode, result.output).toBe(0);
        expect(await callOutcomes(callIds)).toEqual(new Set(['completed caller_hangup']));
      });

      it.each([
        { name: 'with a late offer', scenario: 'late_offer' },
        { name: 'that it puts on hold and resumes in every form', scenario: 'hold' },
        // A drachtio-server sends no 180 to such a call (docs/drachtio.md).
        ...(isEmbedded
          ? [{ name: 'that requires reliable provisional responses', scenario: 'reliable' } as const]
          : []),
        { name: 'that refreshes its session', scenario: 'session' },
      ] as const)('completes every call $name', async ({ scenario }) => {
        const callIds = await stage(5);
        const result = await dial(callIds, { scenario, holdMs: 300 });
        expect(result.exitCode, result.output).toBe(0);
        expect(await callOutcomes(callIds)).toEqual(new Set(['completed caller_hangup']));
      });

      it('ends every call whose ACK has no answer to our late offer as failed', async () => {
        const callIds = await stage(3);
        const result = await dial(callIds, { scenario: 'no_answer' });
        expect(result.exitCode, result.output).toBe(0);
        expect(await callOutcomes(callIds)).toEqual(new Set(['failed sip_error']));
      });
    });

    it('leaves no transaction, dialog, timer, connection or media session', async () => {
      await expectNoResources();
      expect(providers.deepgram.openSockets).toBe(0);
    });
  },
);

/** A server of another process reports no statistics. */
function resourcesOf(statistics: Awaited<ReturnType<TestService['service']['sip']['statistics']>>) {
  if (statistics === null) return NO_RESOURCES;
  const { transactions, dialogs, timers, connections } = statistics;
  return { transactions, dialogs, timers, connections };
}
