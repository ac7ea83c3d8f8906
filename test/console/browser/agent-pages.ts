import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NEW_AGENT } from '../../../console/src/agents/document/agent-document.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, signIn, startConsoleBrowser } from './console-browser.ts';

/** Agents of one page of the list. */
const PAGE_AGENTS = 100;

/** The list of agents, and the pages of stored ones. The console is built. */
export function describeAgentPages(): void {
  describe.skipIf(!hasPeer('chromium'))('the pages of agents', () => {
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

    async function open(path: string): Promise<Page> {
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.goto(`${test.service.httpUrl}/console/#${path}`);
      return page;
    }

    it('names the buttons of the graph in four languages', async () => {
      const page = await open('/agents/new');
      for (const [language, name] of [
        ['de', 'Vergrößern'],
        ['fr', 'Agrandir'],
        ['es', 'Acercar'],
        ['en', 'Zoom in'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.locator('.graph').getByRole('button', { name, exact: true }).waitFor();
      }
    });

    it('lists all agents, page by page', async () => {
      await test.api.createAgent(talker({ name: 'Oldest of a page and one' }));
      for (let count = 0; count < PAGE_AGENTS; count++) await test.api.createAgent(talker({ name: `Agent ${count}` }));
      const { page, complaints } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('heading', { name: `Agent ${PAGE_AGENTS - 1}` }).waitFor();
      const oldest = page.getByRole('heading', { name: 'Oldest of a page and one' });
      expect(await oldest.count()).toBe(0);
      await page.getByRole('button', { name: 'More' }).click();
      await oldest.waitFor();
      expect(complaints).toEqual([]);
    });

    it('show the document of their own agent after a jump from one to another of the same version', async () => {
      await test.api.createAgent(talker({ name: 'Day desk', initial_message: 'Good day.' }));
      await test.api.createAgent(talker({ name: 'Night desk', initial_message: 'Good night.' }));
      const page = await open('/agents');
      const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
      const message = page.getByLabel('First message');
      await page.getByRole('link', { name: 'Day desk' }).click();
      await expect.poll(() => message.inputValue()).toBe('Good day.');
      await page.getByRole('link', { name: '← Agents' }).click();
      await page.getByRole('link', { name: 'Night desk' }).click();
      await expect.poll(() => message.inputValue()).toBe('Good night.');
      await page.getByRole('button', { name: 'Versions' }).click();
      await page.evaluate('history.go(-2)');
      await heading('Day desk').waitFor();
      expect(await message.inputValue()).toBe('Good day.');
      await page.getByRole('status').getByText('No unsaved changes').waitFor();
      expect(await page.getByRole('button', { name: 'Versions' }).getAttribute('aria-expanded')).toBe('false');
      await page.evaluate('history.go(2)');
      await heading('Night desk').waitFor();
      expect(await message.inputValue()).toBe('Good night.');
    });

    it('say that a call uses the saved version, and that unsaved changes are not in it', async () => {
      const { id } = await test.api.createAgent(talker({ name: 'Desk', initial_message: 'Good day.' }));
      const page = await open(`/agents/${id}`);
      await page.getByRole('button', { name: 'Talk to it' }).click();
      const said = page.getByRole('region', { name: 'Talk to Desk' }).getByText('saved version');
      await expect.poll(() => said.innerText()).toBe('Calls from here go to the saved version 1.');
      await page.getByLabel('First message').fill('Good evening.');
      await expect
        .poll(() => said.innerText())
        .toBe('Your changes are not saved: calls from here go to the saved version 1.');
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await expect.poll(() => said.innerText()).toBe('Calls from here go to the saved version 2.');
    });

    it('keep the history of the JSON and the form of the state while the agent is stored', async () => {
      const { id } = await test.api.createAgent(talker({ name: 'Desk', initial_message: 'Good day.' }));
      const page = await open(`/agents/${id}`);
      const kind = page.getByLabel('Kind of tool');
      await kind.selectOption('transfer_call');
      await page.getByRole('tab', { name: 'JSON' }).click();
      const editor = page.getByRole('textbox', { name: 'Agent as JSON' });
      const line = page.locator('.cm-line', { hasText: '"initial_message"' });
      await line.click();
      await page.keyboard.press('End');
      for (let count = 0; count < '",'.length; count++) await page.keyboard.press('ArrowLeft');
      await page.keyboard.type('x');
      const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
      await page.route(`**/v1/agents/${id}?*`, hold, { times: 1 });
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      const request = await held;
      await page.locator('.cm-content[aria-readonly=true]').waitFor();
      expect(await kind.isDisabled()).toBe(true);
      await request.abort();
      await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
      await page.locator('.cm-content:not([aria-readonly])').waitFor();
      expect(await kind.inputValue()).toBe('transfer_call');
      expect(await line.innerText()).toContain('"Good day.x"');
      await editor.focus();
      await page.keyboard.press('Control+z');
      await expect.poll(() => line.innerText()).toContain('"Good day."');
    });

    /** The page of a stored agent, with a voice provider that only the service knows to be none. */
    async function openWithUnknownVoice(agent: object) {
      const { id } = await test.api.createAgent(agent);
      const page = await open(`/agents/${id}`);
      const voice = page.getByRole('group', { name: 'Voice' }).getByLabel('Provider');
      const known = await voice.inputValue();
      await voice.fill('nobody');
      const findings = page.getByRole('region', { name: 'Findings' });
      const publish = page.getByRole('button', { name: 'Publish', exact: true });
      return {
        page,
        publish,
        findings,
        unknown: findings.getByText('unknown provider'),
        correct: () => voice.fill(known),
      };
    }

    it('name the field that the service refuses beside the findings of the page', async () => {
      const agent = talker({ name: 'Dead end' });
      const { page, publish, findings, unknown, correct } = await openWithUnknownVoice(agent);
      const warning = findings.getByText('The state has no transition');
      await warning.waitFor();
      await publish.click();
      await page.getByRole('alert').getByText('Not saved: correct the faults first.').waitFor();
      await unknown.waitFor();
      expect(await warning.count()).toBe(1);
      await correct();
      await page.getByLabel('First message').fill('Good day.');
      await publish.click();
      await page.getByRole('status').getByText('Published: version 2 is active.').waitFor();
      await warning.waitFor();
      expect(await unknown.count()).toBe(0);
    });

    it('drop what the service refused once the document is another', async () => {
      const { page, publish, findings, unknown, correct } = await openWithUnknownVoice(JSON.parse(NEW_AGENT));
      await publish.click();
      await page.getByRole('alert').getByText('Not saved: correct the faults first.').waitFor();
      await unknown.waitFor();
      await page.getByLabel('First message').fill('Good day.');
      await correct();
      await findings.getByText('No fault found.').waitFor();
      expect(await page.getByRole('status').getByText('Unsaved changes').count()).toBe(1);
    });
  });
}
