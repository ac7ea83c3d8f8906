import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { startBreakableProxy } from './breakable-proxy.ts';
import { type ConsoleBrowser, signIn, startConsoleBrowser } from './console-browser.ts';

const PADDING_PX_MIN = 10;
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

    describe('once it was read', () => {
      const STALE = 'The service cannot be reached: this page may be out of date.';

      it.each([
        { page: 'Knowledge', shown: 'There is no knowledge base yet.', remains: 1 },
        { page: 'Calls', tab: 'Running', shown: 'No call is running.', remains: 0 },
      ])('says that it may be out of date: $page', async ({ page: name, tab, shown, remains }) => {
        const proxy = await startBreakableProxy(Number(new URL(test.service.httpUrl).port));
        const throughProxy = await startConsoleBrowser(`http://127.0.0.1:${proxy.port}`);
        try {
          const { page } = await throughProxy.open();
          await signIn(page, TEST_API_KEY);
          await page.getByRole('link', { name, exact: true }).click();
          if (tab !== undefined) await page.getByRole('link', { name: tab }).click();
          await page.getByText(shown).waitFor();
          expect(await page.getByText(STALE).count()).toBe(0);
          await proxy.close();
          // A list that is shown is read again once its page is looked at again.
          const lookAgain = async () => {
            await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
            return await page.getByRole('status').getByText(STALE).count();
          };
          await expect.poll(lookAgain, { timeout: 20_000 }).toBe(1);
          expect(await page.getByText(shown).count()).toBe(remains);
        } finally {
          await throughProxy.close();
          await proxy.close();
        }
      });
    });

    it('says in four languages that it does not exist, and offers no second attempt', async () => {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.evaluate("location.hash = '/calls/00000000-0000-4000-8000-000000000000'");
      for (const [language, message] of [
        ['de', 'Dies gibt es nicht, oder es wurde gelöscht.'],
        ['fr', 'Ceci n’existe pas ou a été supprimé.'],
        ['es', 'Esto no existe o se ha eliminado.'],
        ['en', 'This does not exist, or was deleted.'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.getByRole('alert').getByText(message).waitFor();
      }
      expect(await page.getByRole('alert').getByRole('button').count()).toBe(0);
    });

    it('and that is no page stands in the padding of one', async () => {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.evaluate("location.hash = '/nowhere'");
      const notice = page.getByText('This page does not exist.');
      await notice.waitFor();
      const [content, box] = await Promise.all([page.locator('main').boundingBox(), notice.boundingBox()]);
      expect((box?.y ?? 0) - (content?.y ?? 0)).toBeGreaterThan(PADDING_PX_MIN);
    });
  });
}
