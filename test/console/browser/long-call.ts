import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { JournalBatch } from '../../../src/storage/calls/journal-repository.ts';
import type { Repositories } from '../../../src/storage/repositories.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { newCall } from '../../src/storage/temporary-database.ts';
import { type ConsoleBrowser, SCREENSHOT_FOLDER, signIn, startConsoleBrowser } from './console-browser.ts';

const ANSWERED_MS = Date.UTC(2026, 2, 2, 9, 0, 0);
/** Half an hour with 400 entries: in each turn the user speaks, a tool is called and returns, and the agent speaks. */
const TURNS = 100;
const ENTRIES = 4 * TURNS;
const TURN_US = 18_000_000;
const ANSWER = 'There are two tables left on that evening, one at the window and one in the garden.';

function toolOf(turn: number) {
  return { toolCallId: `call_${turn}`, name: 'find_table' };
}

/** A turn whose user speech ended at `startUs`. */
function turnRecord(turn: number, startUs: number): TurnRecord {
  return {
    turn,
    startUs,
    user: {
      sequence: 4 * (turn - 1) + 1,
      endedBy: 'pause',
      score: 0.9,
      reasons: ['closing'],
      endedMs: 300,
      committedMs: 900,
      reopened: 0,
      amended: 0,
      corrected: false,
    },
    utterance: turn,
    askedMs: [250],
    firstTokenMs: 700,
    voiceRequestedMs: 1_700,
    firstAudioMs: 1_900,
    heardMs: 2_000,
    answerHeardMs: 2_000,
    fillersMs: [],
    tools: [{ ...toolOf(turn), startedMs: 800, endedMs: 1_600 }],
    interrupted: false,
    falseInterruptions: 0,
    ducked: 0,
    echoWords: 0,
  };
}

/** The entries of one turn, which begins at `atUs`. */
function turnEntries(turn: number): JournalBatch['entries'] {
  const atUs = (turn - 1) * TURN_US;
  const sequence = 4 * (turn - 1);
  const tool = toolOf(turn);
  const at = (seconds: number) => atUs + seconds * 1_000_000;
  const content = `Question ${turn}: is there a table for four on one of the next evenings?`;
  return [
    {
      type: 'transcript',
      entry: { role: 'user', sequence: sequence + 1, startUs: at(1), endUs: at(6), content },
    },
    {
      type: 'transcript',
      entry: {
        ...tool,
        role: 'tool_call',
        sequence: sequence + 2,
        startUs: at(7),
        endUs: null,
        content: '',
        toolType: 'custom_function',
        arguments: { guests: 4, turn },
      },
    },
    {
      type: 'transcript',
      entry: {
        ...tool,
        role: 'tool_response',
        sequence: sequence + 3,
        startUs: at(7.6),
        endUs: at(7.6),
        content: '{"free":true}',
        successful: true,
        httpStatus: 200,
      },
    },
    {
      type: 'transcript',
      entry: {
        role: 'agent',
        sequence: sequence + 4,
        startUs: at(8),
        endUs: at(15),
        content: `Answer ${turn}. ${ANSWER}`,
        interrupted: false,
      },
    },
    { type: 'turn', record: turnRecord(turn, at(6)), isClosed: true },
    {
      type: 'spans',
      part: turn,
      spans: [
        ...(turn === 1 ? [{ type: 'answered' as const, fromUs: 0, toUs: 0 }] : []),
        { type: 'voice_activity', fromUs: at(1), toUs: at(6) },
        { type: 'tool', name: tool.name, successful: true, fromUs: at(7), toUs: at(7.6) },
        { type: 'agent_speech', fromUs: at(8), toUs: at(15) },
      ],
    },
  ];
}

/** Stores a call of half an hour that has ended. */
async function storeLongCall({ calls, journal }: Repositories, agentId: string): Promise<string> {
  const call = newCall(agentId, { nowMs: ANSWERED_MS });
  await calls.createCall(call);
  const patch = { startMs: ANSWERED_MS };
  await calls.setStatus(call.id, { to: 'in_progress', from: ['initiated'], atMs: ANSWERED_MS, patch });
  for (let turn = 1; turn <= TURNS; turn++) {
    await journal.appendJournal(call.id, { entries: turnEntries(turn), startedWallMs: ANSWERED_MS });
  }
  const atMs = ANSWERED_MS + (TURNS * TURN_US) / 1_000;
  await calls.finish(call.id, { status: 'completed', endReason: 'caller_hangup', atMs });
  return call.id;
}

/** A call of half an hour. The console is built. */
export function describeLongCall(): void {
  describe.skipIf(!hasPeer('chromium'))('the page of a call of half an hour', () => {
    let test: TestService;
    let browser: ConsoleBrowser;
    let callId: string;

    beforeAll(async () => {
      test = await startTestService();
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Front desk' }));
      callId = await storeLongCall(test.service.repositories, agentId);
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
    });

    it('shows all of its four hundred entries, turns and events', async () => {
      const { page, complaints } = await browser.open();
      await signIn(page, TEST_API_KEY);
      const openedMs = performance.now();
      await page.evaluate(`location.hash = '/calls/${callId}'`);
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByText(`Answer ${TURNS}.`).waitFor();
      await page.getByRole('region', { name: 'Why was it silent?' }).waitFor();
      const tookMs = performance.now() - openedMs;
      if (SCREENSHOT_FOLDER !== undefined) {
        // Only a person judges it: how long it takes depends on the machine.
        process.stdout.write(`call page with ${ENTRIES} entries: ${tookMs.toFixed(0)} ms\n`);
        await page.screenshot({ path: join(SCREENSHOT_FOLDER, 'long-call.png') });
      }
      const count = (selector: string) => page.locator(selector).count();
      expect(await count('.transcript > li')).toBe(ENTRIES);
      for (const role of ['user', 'agent', 'tool_call', 'tool_response'])
        expect(await count(`.transcript > .entry-${role}`), role).toBe(TURNS);
      expect(await count('.lane-entry.lane-user')).toBe(TURNS);
      expect(await count('.lane-entry.lane-agent')).toBe(TURNS);
      expect(await count('.lane-entry.lane-tool')).toBe(TURNS);
      const turns = page.getByRole('region', { name: 'Response time of each turn' }).locator('.turn');
      expect(await turns.count()).toBe(TURNS);
      // From a mark of the time axis to its entry, at the other end of the page.
      await page.locator('.lane-entry.lane-agent').last().click();
      await expect.poll(() => page.evaluate(isInView(ENTRIES))).toBe(true);
      // The service has no SIP messages of this call, which it has not made.
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    });
  });
}

/** A program for the browser: whether the entry is in view. */
function isInView(sequence: number): string {
  return `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.getElementById('entry-${sequence}').getBoundingClientRect())`;
}
