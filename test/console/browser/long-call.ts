import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, SCREENSHOT_FOLDER, signIn, startConsoleBrowser } from './console-browser.ts';
import { ENTRIES, storeLongCall, TURNS } from './stored-long-call.ts';

/** A call of half an hour. The console is built. */
export function describeLongCall(): void {
  describe.skipIf(!hasPeer('chromium'))('the page of a call of half an hour', () => {
    let test: TestService;
    let browser: ConsoleBrowser;
    let callId: string;

    beforeAll(async () => {
      test = await startTestService();
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Front desk' }));
      callId = await storeLongCall(test, agentId);
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
    });

    it('shows all of its four hundred entries, turns and events', async () => {
      const { page, complaints } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.evaluate(`location.hash = '/calls/${callId}'`);
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByText(`Answer ${TURNS}.`).waitFor();
      await page.getByRole('region', { name: 'Why was it silent?' }).waitFor();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      if (SCREENSHOT_FOLDER !== undefined) await page.screenshot({ path: join(SCREENSHOT_FOLDER, 'long-call.png') });
      const count = (selector: string) => page.locator(selector).count();
      expect(await count('.transcript > li')).toBe(ENTRIES);
      for (const role of ['user', 'agent', 'tool_call', 'tool_response'])
        expect(await count(`.transcript > .entry-${role}`), role).toBe(TURNS);
      expect(await count('.lane-entry.lane-user')).toBe(TURNS);
      expect(await count('.lane-entry.lane-agent')).toBe(TURNS);
      expect(await count('.lane-entry.lane-tool')).toBe(TURNS);
      const turns = page.getByRole('region', { name: 'Response time of each turn' }).locator('.turn');
      expect(await turns.count()).toBe(TURNS);
      // A turn has the time of its question in the transcript.
      const question = page.locator('.transcript > .entry-user .entry-time').last();
      expect(await turns.last().locator('.entry-time').textContent()).toBe(await question.textContent());
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
