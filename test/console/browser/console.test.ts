import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { dialIn, talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { buildConsole, type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

/** What a browser loads before the list of calls is shown, compressed. */
const FIRST_LOAD_BYTES_MAX = 350_000;

describe.skipIf(!hasPeer('chromium'))('the console in a browser', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    await buildConsole();
    providers = await startEmulatedProviders();
    test = await startTestService(providers.environment);
    const agent = await test.api.createAgent(talker({ name: 'Reception' }));
    const call = await dialIn(test, agent.id);
    await call.hangUp();
    await test.api.callIn(call.callId, ['completed']);
    browser = await startConsoleBrowser(test.service.httpUrl);
  });
  afterAll(async () => {
    await browser.close();
    await test.close();
    await providers.close();
  });

  it('refuses an unknown key, takes a known one, and keeps it in this tab only', async () => {
    const { page, complaints } = await browser.open();
    expect(await faultsOfPage(page, 'sign-in')).toEqual([]);
    await page.getByLabel('API key').fill('x'.repeat(40));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('unknown or revoked').waitFor();
    await signIn(page, TEST_API_KEY);
    expect(page.url()).not.toContain(TEST_API_KEY);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(TEST_API_KEY);
    await page.reload();
    await page.getByRole('navigation').waitFor();
    await page.getByRole('button', { name: /^API key/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out of this key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(TEST_API_KEY);
    // The browser logs the answer to the wrong key.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('lists calls with masked numbers, in four languages, within the size of the first load', async () => {
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    await page.getByRole('cell', { name: '+33•••••••89' }).waitFor();
    await page.getByText('Completed').first().waitFor();
    expect(await faultsOfPage(page, 'calls')).toEqual([]);
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).reduce((sum, { transferSize }) => sum + transferSize, 0)`,
    );
    expect(Number(bytes)).toBeLessThan(FIRST_LOAD_BYTES_MAX);
    for (const [language, title] of [
      ['de', 'Anrufe'],
      ['fr', 'Appels'],
      ['es', 'Llamadas'],
      ['en', 'Calls'],
    ] as const) {
      await page.locator('.preferences select').last().selectOption(language);
      await page.getByRole('heading', { name: title }).waitFor();
    }
    expect(complaints).toEqual([]);
  });
});
