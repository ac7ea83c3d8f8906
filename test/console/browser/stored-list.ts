import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { FROM, TO, talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, signIn, startConsoleBrowser } from './console-browser.ts';

const ROW_PX = 38;
/** Longer than its column. */
const AGENT = 'Trattoria Bella Vista';

/** The list of all calls. The console is built. */
export function describeStoredList(): void {
  describe.skipIf(!hasPeer('chromium'))('the list of all calls in a browser', () => {
    let providers: EmulatedProviders;
    let test: TestService;
    let browser: ConsoleBrowser;
    let agentId: string;

    beforeAll(async () => {
      providers = await startEmulatedProviders({});
      test = await startTestService(providers.environment);
      agentId = (await test.api.createAgent(talker({ name: AGENT }))).id;
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
      await providers?.close();
    });

    const stage = () => test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });

    it('shows names of agents and end reasons that are longer than their column', async () => {
      const callId = await stage();
      await test.api.send('POST', `/v1/calls/${callId}/terminate`);
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${callId}"]`) });
      await row.getByText(AGENT).waitFor();
      const cut = `[...document.querySelectorAll('.cut-cell')].flatMap((cell) => [cell, ...cell.children])
        .filter(({ scrollHeight, scrollWidth, clientHeight, clientWidth }) => scrollHeight > clientHeight || scrollWidth > clientWidth)
        .map(({ textContent }) => textContent)`;
      expect(await page.evaluate(cut)).toEqual([]);
      // As high as the list of many calls expects it.
      expect((await row.boundingBox())?.height).toBe(ROW_PX);
    });

    it('shows a call that begins and one that ends, with the same filters and focus', async () => {
      const callId = await stage();
      const { page, complaints } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.getByLabel('After').fill('2020-01-01');
      const first = page.getByRole('row').filter({ has: page.locator(`a[href$="${callId}"]`) });
      await first.getByText('Staged').waitFor();
      await first.getByRole('link').focus();
      await stage();
      await page.getByRole('cell', { name: 'Staged' }).nth(1).waitFor();
      await test.api.send('POST', `/v1/calls/${callId}/terminate`);
      await first.getByText('Canceled').first().waitFor();
      expect(await page.evaluate('document.activeElement.href')).toContain(callId);
      expect(await page.getByLabel('After').inputValue()).toBe('2020-01-01');
      expect(complaints).toEqual([]);
    });
  });
}
