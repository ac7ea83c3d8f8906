import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

const WRITING = ['read', 'write'];
const createdKey = z.looseObject({ key: z.string(), id: z.string() });

/** Several keys in one tab. The console is built. */
export function describeHeldKeys(): void {
  describe.skipIf(!hasPeer('chromium'))('the keys that a tab holds', () => {
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

    const createKey = (name: string, scopes: readonly string[]) =>
      test.api.requestOk(createdKey, 'POST', '/v1/api-keys', { name, scopes });

    const signOut = async (page: Page) => {
      await page.getByRole('button', { name: /^API key/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out of this key' }).click();
    };

    /** The page of an agent with two versions, edited with a key that the service refuses at the next read. */
    async function editedUntilRefused() {
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Desk' }));
      const change = (initial_message: string) =>
        test.api.requestOk(z.unknown(), 'PATCH', `/v1/agents/${agentId}`, { initial_message });
      const stored = () => test.api.requestOk(z.unknown(), 'GET', `/v1/agents/${agentId}`);
      await change('Good day.');
      const { key, id } = await createKey('editor', WRITING);
      const { page } = await browser.open();
      await signIn(page, key);
      await page.goto(`${test.service.httpUrl}/console/#/agents/${agentId}`);
      const message = page.getByLabel('First message');
      await message.fill('Good evening.');
      await test.api.requestOk(z.unknown(), 'DELETE', `/v1/api-keys/${id}`);
      // Reads the version before, to compare both.
      await page.getByRole('button', { name: 'Versions' }).click();
      await page.getByRole('alert').getByText('This API key was refused').waitFor();
      return { page, message, change, stored };
    }

    /** A page that holds the key of the service and one with the name, which is in use. */
    async function openWithTwoKeys(name: string): Promise<Page> {
      const { key } = await createKey(name, WRITING);
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.getByRole('button', { name: /^API key/ }).click();
      await page.getByRole('menuitem', { name: 'Add another key' }).click();
      await page.getByRole('dialog').getByLabel('API key').fill(key);
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: `API key ${name}` }).waitFor();
      return page;
    }

    const chooseFirstKey = async (page: Page) => {
      await page.getByRole('button', { name: /^API key/ }).click();
      await page.getByRole('menuitemradio').first().click();
    };

    it('are kept when the service refuses a key that is no longer in use', async () => {
      const page = await openWithTwoKeys('leaver');
      const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
      await page.route(/\/v1\/knowledge-bases\?/, hold, { times: 1 });
      await page.getByRole('link', { name: 'Knowledge' }).click();
      const request = await held;
      await chooseFirstKey(page);
      await page.getByText('There is no knowledge base yet.').waitFor();
      const failure = { error: { type: 'authentication_error', message: 'unknown or revoked', details: null } };
      const refused = page.waitForResponse((response) => response.status() === 401);
      await request.fulfill({ status: 401, contentType: 'application/json', body: JSON.stringify(failure) });
      await refused;
      await page.getByRole('button', { name: /^API key/ }).click();
      // The refused key is gone, and the one in use stays.
      await expect.poll(() => page.getByRole('menuitemradio').count()).toBe(1);
      expect(await page.getByRole('menuitemradio').first().innerText()).not.toContain('leaver');
    });

    it('are refused with a reason also by a page that reads two things', async () => {
      const { key, id } = await createKey('two', ['read']);
      const { page } = await browser.open();
      await signIn(page, key);
      await page.getByText('There is no call yet.').waitFor();
      await test.api.requestOk(z.unknown(), 'DELETE', `/v1/api-keys/${id}`);
      const refused = ['/v1/calls?', '/v1/agents/names?'].map((path) =>
        page.waitForResponse((response) => response.url().includes(path) && response.status() === 401),
      );
      await page.reload();
      await Promise.all(refused);
      await page.getByRole('alert').getByText('This API key was refused').waitFor();
    });

    it('ask for another key when the only one is revoked, and say why', async () => {
      const { key, id } = await createKey('one', ['read']);
      const { page } = await browser.open();
      await signIn(page, key);
      await page.getByText('There is no call yet.').waitFor();
      await page.getByLabel('Status').selectOption('failed');
      await page.getByText('No call matches.').waitFor();
      await test.api.requestOk(z.unknown(), 'DELETE', `/v1/api-keys/${id}`);
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('alert').getByText('This API key was refused').waitFor();
      expect(await faultsOfPage(page, 'key-refused')).toEqual([]);
      await signIn(page, TEST_API_KEY);
      await signOut(page);
      await page.getByLabel('API key').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    it('are typed without a click, and a wrong one is refused in the words of the page', async () => {
      const { page } = await browser.open();
      await page.getByLabel('API key').waitFor();
      await page.keyboard.type('tl_wrong_key_0123456789abcdef0123456789abcd');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('This API key was refused').waitFor();
    });

    it('leave the unsaved changes of an agent to the next key when the service refuses to store them', async () => {
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Night desk' }));
      const { key, id } = await createKey('night', WRITING);
      const { page } = await browser.open();
      await signIn(page, key);
      await page.goto(`${test.service.httpUrl}/console/#/agents/${agentId}`);
      await page.getByLabel('First message').fill('Good night.');
      await test.api.requestOk(z.unknown(), 'DELETE', `/v1/api-keys/${id}`);
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('status').getByText('Your unsaved changes to an agent are kept.').waitFor();
      await signIn(page, TEST_API_KEY);
      await expect.poll(() => page.getByLabel('First message').inputValue()).toBe('Good night.');
    });

    it('leave the unsaved changes of an agent to the next key that may store them, when the service refuses one', async () => {
      const { page, message } = await editedUntilRefused();
      await page.getByRole('status').getByText('Your unsaved changes to an agent are kept.').waitFor();
      expect(await faultsOfPage(page, 'key-refused-unsaved')).toEqual([]);
      await page.reload();
      await signIn(page, (await createKey('reader', ['read'])).key);
      await page.getByRole('status').getByText('a key of the same organization with the scope “write”').waitFor();
      await signOut(page);
      await signIn(page, TEST_API_KEY);
      await expect.poll(() => message.inputValue()).toBe('Good evening.');
      await page.getByRole('status').getByText('Unsaved changes').waitFor();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('status').getByText('Published: version 3 is active.').waitFor();
      expect(await page.getByRole('button', { name: 'Discard the changes' }).count()).toBe(0);
    });

    it('are told which scope they lack for a page whose address was opened, in four languages', async () => {
      const { page } = await browser.open();
      await signIn(page, (await createKey('reader', ['read'])).key);
      await page.goto(`${test.service.httpUrl}/console/#/agents/new`);
      for (const [language, message] of [
        ['de', 'fehlt das Recht „write“'],
        ['fr', 'n’a pas le droit « write »'],
        ['es', 'no tiene el permiso «write»'],
        ['en', 'lacks the scope “write”'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.getByRole('status').getByText(message).waitFor();
      }
      expect(await page.getByLabel('First message').count()).toBe(0);
      expect(await faultsOfPage(page, 'scope-missing')).toEqual([]);
      await page.goto(`${test.service.httpUrl}/console/#/keys`);
      await page.getByRole('status').getByText('lacks the scope “admin”').waitFor();
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    });

    it('offer the kept changes beside a version that was stored since, not over it', async () => {
      const { page, message, change, stored } = await editedUntilRefused();
      await change('Good night.');
      await signIn(page, TEST_API_KEY);
      await expect.poll(() => message.inputValue()).toBe('Good night.');
      expect(await faultsOfPage(page, 'kept-changes')).toEqual([]);
      await page.getByRole('link', { name: 'Go on editing' }).click();
      await expect.poll(() => message.inputValue()).toBe('Good evening.');
      await page.getByRole('link', { name: 'Go on editing' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('alert').getByText('another version was stored').waitFor();
      expect(await message.inputValue()).toBe('Good evening.');
      expect(await stored()).toMatchObject({ version: 3, initial_message: 'Good night.' });
    });

    it('are switched and removed only after a question while an agent has unsaved changes', async () => {
      const page = await openWithTwoKeys('editor');
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('link', { name: 'New agent' }).first().click();
      const prompt = page.getByLabel('Prompt for all states');
      await prompt.fill('You book tables.');
      const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
      await chooseFirstKey(page);
      await question.waitFor();
      expect(await faultsOfPage(page, 'key-switch')).toEqual([]);
      await question.getByRole('button', { name: 'Stay here' }).click();
      await page.getByRole('button', { name: 'API key editor' }).click();
      await page.getByRole('menuitem', { name: 'Sign out of this key' }).click();
      await question.getByRole('button', { name: 'Stay here' }).click();
      await page.getByRole('button', { name: 'API key editor' }).click();
      await page.getByRole('menuitem', { name: 'Add another key' }).click();
      await question.getByRole('button', { name: 'Stay here' }).click();
      expect(await prompt.inputValue()).toBe('You book tables.');
      await chooseFirstKey(page);
      await question.getByRole('button', { name: 'Leave without saving' }).click();
      await page.getByRole('button', { name: 'API key editor' }).waitFor({ state: 'detached' });
      // Nothing is unsaved any more: the next switch asks nothing.
      await page.getByRole('button', { name: /^API key/ }).click();
      await page.getByRole('menuitemradio').nth(1).click();
      await page.getByRole('button', { name: 'API key editor' }).waitFor();
    });
  });
}
