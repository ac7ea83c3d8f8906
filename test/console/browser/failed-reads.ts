import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, signIn, startConsoleBrowser } from './console-browser.ts';

const BASES = '**/v1/knowledge-bases?*';

/** Pages whose data cannot be read. The console is built. */
export function describeFailedReads(): void {
  describe.skipIf(!hasPeer('chromium'))('a page whose data cannot be read', () => {
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

    it('says at the first failure that the service cannot be reached, and shows the data once it can', async () => {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      let failures = 0;
      await page.route(BASES, (route) => {
        failures += 1;
        return route.abort();
      });
      await page.getByRole('link', { name: 'Knowledge' }).click();
      const alert = page.getByRole('alert');
      await alert.getByText('The service cannot be reached.').waitFor();
      expect(failures).toBe(1);
      await expect.poll(() => failures, { timeout: 20_000 }).toBeGreaterThan(3);
      await alert.getByText('It is tried again every few seconds.').waitFor();
      await page.unroute(BASES);
      await page.getByText('There is no knowledge base yet.').waitFor();
      expect(await alert.count()).toBe(0);
    });
  });
}
