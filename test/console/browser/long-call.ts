import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { JournalBatch } from '../../../src/storage/calls/journal-repository.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, SCREENSHOT_FOLDER, signIn, startConsoleBrowser } from './console-browser.ts';
import { storeCall } from './stored-call.ts';

/** Half an hour with 400 entries: in each turn the user speaks, a tool is called and returns, and the agent speaks. */
const TURNS = 100;
const ENTRIES = 4 * TURNS;
const TURN_S = 18;
const TURN_US = TURN_S * 1_000_000;
const CALL_S = TURNS * TURN_S;
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
    askedMs: [250, 1_600],
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

/** A call of half an hour. The console is built. */
export function describeLongCall(): void {
  describe.skipIf(!hasPeer('chromium'))('the page of a call of half an hour', () => {
    let test: TestService;
    let browser: ConsoleBrowser;
    let callId: string;

    beforeAll(async () => {
      test = await startTestService();
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Front desk' }));
      const batches = Array.from({ length: TURNS }, (_, index) => turnEntries(index + 1));
      // Its recording has 58 MB.
      callId = await storeCall(test, { agentId, batches, lengthS: CALL_S, recordedS: CALL_S });
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
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      const withRecordingMs = performance.now() - openedMs;
      if (SCREENSHOT_FOLDER !== undefined) {
        // Only a person judges it: how long it takes depends on the machine.
        process.stdout.write(
          `call page with ${ENTRIES} entries: ${tookMs.toFixed(0)} ms, with its recording ${withRecordingMs.toFixed(0)} ms\n`,
        );
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
      const seen = await page.evaluate(SCROLLED_PAST);
      expect(seen).toEqual(Array.from({ length: ENTRIES }, (_, index) => `entry-${index + 1}`));
      // From a mark of the time axis to its entry, at the other end of the page.
      await page.locator('.lane-entry.lane-agent').last().click();
      await expect.poll(() => page.evaluate(isInView(ENTRIES))).toBe(true);
      // The service has no SIP messages of this call, which it has not made.
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    });
  });
}

/**
 * A program for the browser: scrolls through the page, and returns the entries in whose place their text was drawn. The page draws an
 * entry once it comes near the window.
 */
const SCROLLED_PAST = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const seen = new Set();
  const last = document.querySelector('.transcript > li:last-child');
  document.querySelector('.transcript > li').scrollIntoView();
  for (let bottom = Infinity; ; window.scrollBy(0, innerHeight / 2)) {
    await drawn();
    for (const entry of document.querySelectorAll('.transcript > li')) {
      const { bottom, top } = entry.getBoundingClientRect();
      const text = entry.querySelector('p');
      if (bottom > 0 && top < innerHeight && text.checkVisibility({ contentVisibilityAuto: true })) seen.add(entry.id);
    }
    const next = last.getBoundingClientRect().bottom;
    if (next <= innerHeight || next === bottom) return [...seen];
    bottom = next;
  }
})()`;

/** A program for the browser: whether the entry is in view. */
function isInView(sequence: number): string {
  return `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.getElementById('entry-${sequence}').getBoundingClientRect())`;
}
