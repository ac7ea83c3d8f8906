import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

const NOT_LOADED = {
  de: 'Dies konnte nicht geladen werden',
  fr: 'Le chargement a échoué',
  es: 'No se ha podido cargar',
  en: 'This could not be loaded',
} as const;

const CHECK_SCRIPT = /\/assets\/check-document-/;

/** Scripts that are loaded when they are needed, from a service that cannot be reached. The console is built. */
export function describeMissingScripts(): void {
  describe.skipIf(!hasPeer('chromium'))('a script that cannot be loaded', () => {
    let providers: EmulatedProviders;
    let test: TestService;
    let browser: ConsoleBrowser;

    beforeAll(async () => {
      providers = await startEmulatedProviders({});
      test = await startTestService(providers.environment);
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
      await providers?.close();
    });

    it('of a page leaves a message and a button, which loads the page once the service can be reached', async () => {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      const choose = (language: string) => page.locator('.preferences select').last().selectOption(language);
      // The texts are scripts, too.
      for (const language of Object.keys(NOT_LOADED)) {
        await choose(language);
        await page.locator(`html[lang=${language}]`).waitFor();
      }
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Knowledge' }).click();
      for (const [language, message] of Object.entries(NOT_LOADED)) {
        await choose(language);
        await page.getByRole('alert').getByText(message).waitFor();
      }
      expect(await faultsOfPage(page, 'not-loaded')).toEqual([]);
      const again = page.getByRole('button', { name: 'Try again' });
      await again.click();
      await expect.poll(() => again.isEnabled()).toBe(true);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await page.context().setOffline(false);
      await again.click();
      await page.getByRole('heading', { name: 'Knowledge', level: 1 }).waitFor();
    });

    it('of a part of a page leaves the rest of the page with its unsaved changes', async () => {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.goto(`${test.service.httpUrl}/console/#/agents/new`);
      await page.getByLabel('First message').fill('Good evening.');
      await page.context().setOffline(true);
      await page.getByRole('tab', { name: 'JSON' }).click();
      const alert = page.getByRole('alert');
      await alert.getByText(NOT_LOADED.en).waitFor();
      expect(await alert.getByText('reload the page').count()).toBe(0);
      await page.getByRole('button', { name: 'Try again' }).click();
      // As after a release: the script of the old version is gone for good.
      await alert.getByText('save your changes and reload the page').waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      const editor = page.getByRole('textbox', { name: 'Agent as JSON' });
      await editor.getByText('"Good evening."').waitFor();
    });

    it('of the check of an agent is a finding, until a change loads it', async () => {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.route(CHECK_SCRIPT, (route) => route.abort());
      await page.goto(`${test.service.httpUrl}/console/#/agents/new`);
      const findings = page.getByRole('region', { name: 'Findings' });
      await findings.getByText('could not check the document').waitFor();
      expect(await findings.getByText('No fault found.').count()).toBe(0);
      await page.unroute(CHECK_SCRIPT);
      await page.getByLabel('First message').fill('Good evening.');
      await findings.getByText('No fault found.').waitFor();
    });
  });
}
