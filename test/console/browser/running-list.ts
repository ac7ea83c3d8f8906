import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { LAST_STATE, runningCall, startBusyStream } from './busy-stream.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

/** A task of the page above this is felt as a freeze. Usual ones take a tenth; the machine may be busy. */
const LONG_TASK_MS_MAX = 1_000;

/** The list of running calls, on the messages of scripted streams. */
export function describeRunningList(): void {
  describe.skipIf(!hasPeer('chromium'))('the running calls in a browser', () => {
    let test: TestService;
    let browser: ConsoleBrowser;

    beforeAll(async () => {
      test = await startTestService();
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
    });

    it('names the providers that fail, and says that older calls run, above the running calls', async () => {
      const { page, complaints } = await browser.open();
      const provider = { status: 'listed', models: [], voices: [] };
      const data = [
        { ...provider, provider: 'deepgram', kind: 'voice', circuit_open: true },
        { ...provider, provider: 'openai', kind: 'llm', circuit_open: false },
      ];
      await page.route('**/v1/providers', (route) =>
        route.fulfill({ json: { message: '', data, error: null, status: 200 } }),
      );
      const body = `event: calls\ndata: ${JSON.stringify({ calls: [runningCall(0, 'talk')], truncated: true })}\n\n`;
      await page.route('**/v1/calls/running/events', (route) =>
        route.fulfill({ contentType: 'text/event-stream', body }),
      );
      await signIn(page, TEST_API_KEY);
      await page.getByRole('link', { name: 'Running' }).click();
      await page.getByText('The newest 1 calls; more are running').waitFor();
      await page.getByText('deepgram (voice) fails and is skipped').waitFor();
      expect(await page.getByText('fails and is skipped').count()).toBe(1);
      expect(await faultsOfPage(page, 'running-calls-truncated')).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('draws five hundred running calls while ten thousand changes of a minute arrive', async () => {
      const { page, complaints } = await browser.open();
      const busy = await startBusyStream();
      try {
        await page.route('**/v1/calls/running/events', (route) => route.continue({ url: busy.url }));
        await signIn(page, TEST_API_KEY);
        await page.evaluate(
          'window.longest = 0; new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) ' +
            "window.longest = Math.max(window.longest, duration); }).observe({ type: 'longtask' })",
        );
        await page.getByRole('link', { name: 'Running' }).click();
        await page.getByText('500 calls').first().waitFor();
        await busy.done;
        await page.getByRole('row').nth(1).getByText(LAST_STATE).waitFor();
        expect(Number(await page.evaluate("document.querySelectorAll('tbody tr').length"))).toBeLessThan(100);
        expect(Number(await page.evaluate('window.longest'))).toBeLessThan(LONG_TASK_MS_MAX);
        await page.getByRole('region', { name: '500 calls' }).evaluate((list) => list.scrollTo(0, 1e6));
        await page.locator('tr[aria-rowindex="501"]').waitFor();
        expect(complaints).toEqual([]);
      } finally {
        await busy.close();
      }
    });
  });
}
