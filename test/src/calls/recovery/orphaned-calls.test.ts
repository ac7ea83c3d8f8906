import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeWavHeader, PCM_WAV_HEADER_BYTES } from '../../../../base/audio/wav.ts';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { DialogRecovery } from '../../../../sip/dialog/dialog-recovery.ts';
import { RECORDING_CHANNELS, RECORDING_RATE_HZ } from '../../../../sip/recorder/recording-ring.ts';
import { measureWav, repairWav } from '../../../../sip/recorder/repair-wav.ts';
import { finishLeftRecordings, leftRecordings } from '../../../../src/calls/recording/left-recordings.ts';
import { recoverRecordings } from '../../../../src/calls/recording/recording-recovery.ts';
import {
  closeOrphanedCall,
  type OrphanedCallOptions,
  recoverCalls,
} from '../../../../src/calls/recovery/orphaned-calls.ts';
import type { CallRecord } from '../../../../src/storage/calls/call-record.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, onEachDatabase, START_MS, storeAgent, temporaryFolder } from '../../storage/temporary-database.ts';

const SECONDS = 3;
const BYTES = SECONDS * RECORDING_RATE_HZ * RECORDING_CHANNELS * 2;
const NOW_SECONDS = 60;
const NOW_MS = START_MS + NOW_SECONDS * 1_000;

const DIALOG: DialogRecovery = {
  sipCallId: 'sip-call',
  localUri: '<sip:us@192.0.2.1>;tag=a',
  remoteUri: '<sip:them@198.51.100.7>;tag=b',
  localCseq: 0,
  routeSet: [],
  remoteTarget: 'sip:them@198.51.100.7',
  transport: 'udp',
  source: { address: '198.51.100.7', port: 5060 },
};

describe('an orphaned call', () => {
  onEachDatabase((temporaryDatabase) => {
    interface Orphan {
      readonly answered?: boolean;
      readonly direction?: 'inbound' | 'outbound';
      readonly audioBytes?: number;
    }

    /** A call of a dead node. The header of its recording counts no audio. Other nodes may close the call. */
    async function orphanedCall({ answered = true, direction = 'inbound', audioBytes = BYTES }: Orphan = {}) {
      const database = await temporaryDatabase();
      const folders = { own: await temporaryFolder(), elsewhere: await temporaryFolder() };
      const [dead, one] = [createRepositories(database, 'dead'), createRepositories(database, 'one')];
      await dead.nodes.renew('dead', -1);
      const call = newCall(await storeAgent(database), { status: 'ringing', direction });
      await dead.calls.createCall(call);
      const recordingPath = join('recordings', `${call.id}.wav`);
      const patch = { dialog: DIALOG, recordingPath };
      if (answered)
        await dead.calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: START_MS, patch });
      await mkdir(join(folders.own, 'recordings'));
      const header = encodeWavHeader({ encoding: 'linear16', sampleRateHz: RECORDING_RATE_HZ }, RECORDING_CHANNELS, 0);
      await writeFile(join(folders.own, recordingPath), Buffer.concat([header, Buffer.alloc(audioBytes)]));
      const byes: DialogRecovery[] = [];
      const faults: unknown[] = [];
      const closed: string[] = [];
      const logged: unknown[] = [];
      const clock = new SimulatedClock(NOW_MS);
      const optionsOf = (nodeId: string, dataDir: string): OrphanedCallOptions => {
        const { calls, journal } = createRepositories(database, nodeId);
        return {
          node: { id: nodeId },
          calls,
          journal,
          clock,
          dataDir,
          staging: { watch: () => {} },
          endOrphan: async (dialog) => void byes.push(dialog),
          repairRecording: repairWav,
          measureRecording: measureWav,
          recordingUrl: ({ id }) => `http://trunkline/${id}`,
          callLog: (call_id) => ({
            info: () => expect.unreachable('the end of a lost call is a warning'),
            warn: (fields, event) => void logged.push({ call_id, event, ...fields }),
          }),
          onFault: (_id, error) => void faults.push(error),
          onClosed: (callId) => void closed.push(callId),
        };
      };
      const found = async (): Promise<CallRecord> => {
        const record = await dead.calls.find(call.id);
        if (record === null) throw new Error('the call is not stored');
        return record;
      };
      const events = async () =>
        (await dead.callEvents.after(call.id, 0, 100)).map(({ type, data }) => ({ type, data }));
      return { byes, closed, dead, faults, folders, found, logged, one, optionsOf, recordingPath, events };
    }

    const READY = { type: 'event_recording_ready', data: { duration_seconds: SECONDS, complete: false } };

    it('on a shared file system ends once, with its recording complete and reported', async () => {
      const orphan = await orphanedCall();
      const call = await orphan.found();
      const closers = ['one', 'two', 'three'].map((node) => orphan.optionsOf(node, orphan.folders.own));
      const outcomes = await Promise.all(closers.map((options) => closeOrphanedCall(call, options)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(orphan.closed).toEqual([call.id]);
      expect(orphan.logged, 'the log of the closer').toEqual([
        {
          call_id: call.id,
          event: 'call ended',
          reason: 'node_lost',
          detail: `the node of the call was lost, found ${NOW_SECONDS - SECONDS} s after the last record of the call`,
          duration_seconds: SECONDS,
          lost_node_id: 'dead',
        },
      ]);
      expect(await orphan.found()).toMatchObject({
        status: 'completed',
        endReason: 'node_lost',
        metrics: {
          end_detail: `the node of the call was lost, found ${NOW_SECONDS - SECONDS} s after the last record of the call`,
        },
        endMs: START_MS + SECONDS * 1_000,
        recordingComplete: false,
      });
      const events = await orphan.events();
      expect(events.slice(-2)).toMatchObject([{ type: 'event_call_ended' }, READY]);
      expect(events.filter(({ type }) => type === 'event_recording_ready')).toHaveLength(1);
      const wav = await readFile(join(orphan.folders.own, orphan.recordingPath));
      expect(wav.readUInt32LE(PCM_WAV_HEADER_BYTES - 4)).toBe(BYTES);
      expect(orphan.byes).toEqual([DIALOG]);
      await expect.poll(async () => (await orphan.found()).dialog).toBeNull();
      expect(await orphan.dead.calls.callsWithUnfinishedRecording(), 'nothing is left for the restarted node').toEqual(
        [],
      );
      expect(orphan.faults).toEqual([]);
    });

    it('with its recording on the disk of its node ends at once, and that node reports the recording after a restart', async () => {
      const orphan = await orphanedCall();
      expect(await closeOrphanedCall(await orphan.found(), orphan.optionsOf('one', orphan.folders.elsewhere))).toBe(
        true,
      );
      expect(await orphan.found()).toMatchObject({
        status: 'completed',
        endReason: 'node_lost',
        recordingPath: orphan.recordingPath,
        recordingComplete: null,
      });
      expect((await orphan.events()).map(({ type }) => type)).not.toContain('event_recording_ready');

      const unfinished = await orphan.dead.calls.callsWithUnfinishedRecording();
      await recoverRecordings(unfinished, orphan.optionsOf('dead', orphan.folders.own));
      expect((await orphan.events()).at(-1)).toMatchObject(READY);
      expect(await orphan.found()).toMatchObject({ recordingComplete: false });
      expect(orphan.faults).toEqual([]);
    });

    it.each([true, false])('keeps its file as it is if its node has come back (answered: %s)', async (answered) => {
      const orphan = await orphanedCall({ answered });
      const call = await orphan.found();
      const path = join(orphan.folders.own, orphan.recordingPath);
      const before = await readFile(path);
      await orphan.dead.nodes.renew('dead', 60_000);
      expect(await closeOrphanedCall(call, orphan.optionsOf('one', orphan.folders.own))).toBe(false);
      expect((await readFile(path)).equals(before)).toBe(true);
      expect([orphan.closed, orphan.byes, orphan.faults]).toEqual([[], [], []]);
    });

    it('has its recording reported after the restart of the node that ended it and died before', async () => {
      const orphan = await orphanedCall();
      const closer = orphan.optionsOf('one', orphan.folders.own);
      const died = Promise.withResolvers<void>();
      const storeRecording = () => {
        died.resolve();
        return new Promise<never>(() => {});
      };
      void closeOrphanedCall(await orphan.found(), { ...closer, calls: { ...closer.calls, storeRecording } });
      await died.promise;
      expect(await orphan.found()).toMatchObject({ status: 'completed', recordingComplete: null });

      const unfinished = await orphan.one.calls.callsWithUnfinishedRecording();
      await recoverRecordings(unfinished, orphan.optionsOf('one', orphan.folders.elsewhere));
      expect(await orphan.found(), 'its node has the file').toMatchObject({ recordingPath: orphan.recordingPath });
      await recoverRecordings(unfinished, closer);
      await recoverRecordings(unfinished, closer);
      expect((await orphan.events()).filter(({ type }) => type === 'event_recording_ready')).toMatchObject([READY]);
      expect(await orphan.found()).toMatchObject({ recordingComplete: false });
      expect(orphan.faults).toEqual([]);
    });

    it('gets its BYE after the restart of its node if the node that ended it died before the BYE', async () => {
      const orphan = await orphanedCall();
      const never = new Promise<void>(() => {});
      const closer = { ...orphan.optionsOf('one', orphan.folders.elsewhere), endOrphan: () => never };
      expect(await closeOrphanedCall(await orphan.found(), closer)).toBe(true);

      expect(await (await recoverCalls(orphan.optionsOf('dead', orphan.folders.own))).ended).toBe(0);
      expect(orphan.byes).toEqual([DIALOG]);
      await expect.poll(async () => (await orphan.found()).dialog).toBeNull();
    });

    it('after a restart has its end stored before its peer answers the BYE, and keeps its dialog until then', async () => {
      const orphan = await orphanedCall();
      const byes: PromiseWithResolvers<void>[] = [];
      /** A start of the service whose BYEs no peer answers until the test does. */
      const start = () => {
        const endOrphan = (): Promise<void> => {
          const bye = Promise.withResolvers<void>();
          byes.push(bye);
          return bye.promise;
        };
        return recoverCalls({ ...orphan.optionsOf('dead', orphan.folders.own), endOrphan });
      };
      expect(await (await start()).ended).toBe(1);
      expect(orphan.closed).toHaveLength(1);
      const shutdown = { event: 'call ended', reason: 'shutdown', duration_seconds: SECONDS };
      expect(orphan.logged).toEqual([expect.objectContaining(shutdown)]);
      expect(orphan.logged).not.toEqual([expect.objectContaining({ lost_node_id: 'dead' })]);
      expect(await orphan.found()).toMatchObject({ status: 'completed', endReason: 'shutdown', dialog: DIALOG });

      expect(await (await start()).ended, 'after a second crash').toBe(0);
      expect(byes).toHaveLength(2);
      byes[1]?.resolve();
      await expect.poll(async () => (await orphan.found()).dialog).toBeNull();
      expect((await orphan.events()).filter(({ type }) => type === 'event_call_ended')).toHaveLength(1);

      expect(await (await start()).ended).toBe(0);
      expect(byes).toHaveLength(2);
      expect(orphan.faults).toEqual([]);
    });

    it('keeps its recording for a later start if the file cannot be opened', async () => {
      const orphan = await orphanedCall();
      const path = join(orphan.folders.own, orphan.recordingPath);
      await rename(path, `${path}.kept`);
      await symlink(path, path);
      const options = orphan.optionsOf('dead', orphan.folders.own);
      const unfinished = await orphan.dead.calls.callsWithUnfinishedRecording();
      await recoverRecordings(unfinished, options);
      expect(orphan.faults).toEqual([expect.objectContaining({ code: 'ELOOP' })]);
      expect(await orphan.found()).toMatchObject({ recordingPath: orphan.recordingPath, recordingComplete: null });
      await rename(`${path}.kept`, path);
      await recoverRecordings(unfinished, options);
      expect((await orphan.events()).at(-1)).toMatchObject(READY);
    });

    const UNANSWERED = { answered: false } as const;

    it.each([
      ['outbound, with a ringing tone', { ...UNANSWERED, direction: 'outbound' }],
      ['inbound, without audio', { ...UNANSWERED, audioBytes: 0 }],
    ] as const)('leaves no file if it was never answered: %s', async (_case, call) => {
      const orphan = await orphanedCall(call);
      expect(await closeOrphanedCall(await orphan.found(), orphan.optionsOf('one', orphan.folders.own))).toBe(true);
      expect(await orphan.found()).toMatchObject({ status: 'failed', endReason: 'node_lost', recordingPath: null });
      expect(existsSync(join(orphan.folders.own, orphan.recordingPath))).toBe(false);
      expect((await orphan.events()).map(({ type }) => type)).not.toContain('event_recording_ready');
    });

    it.each([
      ['on a shared file system', 'own'],
      ['on the disk of its node', 'elsewhere'],
    ] as const)('keeps its recording if the answer could not be stored: %s', async (_case, folder) => {
      const orphan = await orphanedCall(UNANSWERED);
      expect(await closeOrphanedCall(await orphan.found(), orphan.optionsOf('one', orphan.folders[folder]))).toBe(true);
      const options = orphan.optionsOf('dead', orphan.folders.own);
      await finishLeftRecordings(await leftRecordings(options), options);
      await finishLeftRecordings(await leftRecordings(options), options);
      expect(await orphan.found()).toMatchObject({ recordingPath: orphan.recordingPath, recordingComplete: false });
      expect((await orphan.events()).filter(({ type }) => type === 'event_recording_ready')).toMatchObject([READY]);
      expect(orphan.faults).toEqual([]);
    });

    it('keeps its recording after a restart of its node if the answer could not be stored', async () => {
      const orphan = await orphanedCall(UNANSWERED);
      const options = orphan.optionsOf('dead', orphan.folders.own);
      const left = await leftRecordings(options);
      expect(await (await recoverCalls(options)).ended).toBe(1);
      await finishLeftRecordings(left, options);
      expect(await orphan.found()).toMatchObject({ status: 'failed', recordingComplete: false });
      expect((await orphan.events()).at(-1)).toMatchObject(READY);
    });

    it('leaves the file of a call in progress alone', async () => {
      const orphan = await orphanedCall(UNANSWERED);
      const options = orphan.optionsOf('dead', orphan.folders.own);
      await finishLeftRecordings(await leftRecordings(options), options);
      expect(await orphan.found()).toMatchObject({ status: 'ringing', recordingPath: null });
      expect(existsSync(join(orphan.folders.own, orphan.recordingPath))).toBe(true);
    });

    it('ends even if its recording cannot be read, and the error is reported', async () => {
      const orphan = await orphanedCall();
      const repairRecording = () => Promise.reject(new Error('the disk is unavailable'));
      const options = { ...orphan.optionsOf('one', orphan.folders.own), repairRecording };
      expect(await closeOrphanedCall(await orphan.found(), options)).toBe(true);
      expect(await orphan.found()).toMatchObject({ status: 'completed', recordingComplete: null });
      expect(orphan.faults).toEqual([new Error('the disk is unavailable')]);
      expect(orphan.byes).toEqual([DIALOG]);
    });
  });
});
