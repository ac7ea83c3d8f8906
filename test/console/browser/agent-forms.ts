import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

/** The longest that a name may be, in one word. */
const LONG_NAME = 'Öffnungszeiten'.repeat(8).slice(0, 100);
const created = z.looseObject({ id: z.string() });

/** The fields of an agent, and its states in their form and in the drawing. The console is built. */
export function describeAgentForms(): void {
  describe.skipIf(!hasPeer('chromium'))('the forms of an agent', () => {
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

    async function openNewAgent(): Promise<Page> {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.goto(`${test.service.httpUrl}/console/#/agents/new`);
      await page.locator('.state-node', { hasText: 'goodbye' }).waitFor();
      return page;
    }

    it('remove a state only after a question, which names what goes with it', async () => {
      const page = await openNewAgent();
      const remove = page.getByRole('button', { name: 'Remove state' });
      await remove.click();
      const question = page.getByRole('alertdialog', {
        name: /^Remove the state “greeting” with its prompt .* “goodbye” becomes the first state\.$/,
      });
      await question.getByRole('button', { name: 'Cancel' }).click();
      expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('Find out what the user needs.');
      await remove.click();
      expect(await faultsOfPage(page, 'agent-remove-state')).toEqual([]);
      await question.getByRole('button', { name: 'Remove state' }).click();
      await page.locator('.state-node', { hasText: 'greeting' }).waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'State “goodbye”' }).waitFor();
    });

    it('give an agent and a state the knowledge bases that are chosen, and lead to them if there is none', async () => {
      const page = await openNewAgent();
      const ofAgent = page.getByRole('group', { name: 'Knowledge bases', exact: true });
      await ofAgent.getByText('There is no knowledge base yet.').waitFor();
      await ofAgent.getByRole('link', { name: 'Knowledge' }).click();
      await page.getByText('An agent searches the knowledge bases that are chosen in its fields').waitFor();
      const create = (name: string) => test.api.requestOk(created, 'POST', '/v1/knowledge-bases', { name });
      const [menu, hours] = [await create('Menu'), await create(LONG_NAME)];
      await page.reload();
      await page.getByRole('link', { name: 'Menu' }).click();
      await page.getByText('An agent searches the knowledge bases that are chosen in its fields').waitFor();
      await page.goto(`${test.service.httpUrl}/console/#/agents/new`);
      await ofAgent.getByLabel('Menu').check();
      await page.getByRole('group', { name: 'Knowledge bases of this state' }).getByLabel(LONG_NAME).check();
      expect(await faultsOfPage(page, 'agent-knowledge')).toEqual([]);
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('status').getByText('Created: version 1 is active.').waitFor();
      const stored = () => test.api.requestOk(created, 'GET', `/v1/agents/${page.url().slice(-36)}`);
      expect(await stored()).toMatchObject({
        knowledge_base_ids: [menu.id],
        states: [{ knowledge_base_ids: [hours.id] }, { knowledge_base_ids: [] }],
      });
      await ofAgent.getByLabel('Menu').uncheck();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('status').getByText('Published: version 2 is active.').waitFor();
      expect(await stored()).toMatchObject({ knowledge_base_ids: [] });
    });

    it('say why a state cannot take a name, and keep what was typed until it is corrected', async () => {
      const page = await openNewAgent();
      const name = page.getByLabel('Name of the state');
      const reason = page.locator('.state-form').getByRole('alert');
      await name.fill('goodbye');
      await page.keyboard.press('Tab');
      await reason.getByText('Another state has this name.').waitFor();
      expect(await name.inputValue()).toBe('goodbye');
      expect(await faultsOfPage(page, 'agent-state-name')).toEqual([]);
      await name.fill(' ');
      await page.keyboard.press('Enter');
      await reason.getByText('Required: still empty.').waitFor();
      await name.fill('welcome');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'State “welcome”' }).waitFor();
      await expect.poll(() => reason.count()).toBe(0);
    });

    it('get the focus from a finding about them, also of the service, which names an unknown provider first', async () => {
      const page = await openNewAgent();
      const provider = page.getByRole('group', { name: 'Language model' }).getByLabel('Provider');
      const findings = page.getByRole('region', { name: 'Findings' });
      await provider.fill('opena');
      await page.getByRole('button', { name: 'Create agent' }).click();
      await findings.getByText(/Unknown provider\. Known providers: .*openai/).waitFor();
      await page.getByRole('tab', { name: 'JSON' }).click();
      await findings.getByRole('button', { name: 'Language model, Provider' }).click();
      expect(await provider.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      await page.getByLabel('Name', { exact: true }).first().fill(' ');
      await findings.getByText('Required: still empty.').waitFor();
      await findings.getByRole('button', { name: 'Name', exact: true }).click();
      expect(await page.evaluate('document.activeElement.id')).toBe('agent-name');
    });

    it('stay within the window with the longest name of a state in one word', async () => {
      const page = await openNewAgent();
      await page.getByLabel('Name of the state').fill(LONG_NAME);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: LONG_NAME }).waitFor();
      expect(await faultsOfPage(page, 'agent-long-name')).toEqual([]);
      await page.getByRole('button', { name: 'Remove state' }).click();
      await page.getByRole('alertdialog').waitFor();
      expect(await faultsOfPage(page, 'agent-remove-long-name')).toEqual([]);
    });

    it('leave the wheel over the drawing to the page, and zoom by it with Ctrl', async () => {
      const page = await openNewAgent();
      await page.locator('.graph').scrollIntoViewIfNeeded();
      await page.locator('.react-flow__pane').hover();
      const zoom = () => page.evaluate("document.querySelector('.react-flow__viewport').style.transform");
      const drawn = await zoom();
      const scrolled = () => page.evaluate('scrollY').then(Number);
      const before = await scrolled();
      await page.mouse.wheel(0, 100);
      await expect.poll(scrolled).toBeGreaterThan(before);
      expect(await zoom()).toBe(drawn);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, 100);
      await expect.poll(zoom).not.toBe(drawn);
    });
  });
}
