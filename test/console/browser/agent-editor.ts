import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NEW_AGENT } from '../../../console/src/agents/document/agent-document.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';

/** A handle that is smaller is hard to hit (WCAG 2.5.8 asks for 24 px with the space around it). */
const HANDLE_PX_MIN = 12;
const anyAgent = z.looseObject({ version: z.number() });

/** Editing of an agent by its forms, its graph and its JSON. The console is built. */
export function describeAgentEditor(): void {
  describe.skipIf(!hasPeer('chromium'))('the editor of an agent', () => {
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

    async function openNewAgent() {
      const opened = await browser.open();
      const { page } = opened;
      await signIn(page, TEST_API_KEY);
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('link', { name: 'New agent' }).first().click();
      await page.locator('.state-node', { hasText: 'goodbye' }).waitFor();
      return { ...opened, findings: page.getByRole('region', { name: 'Findings' }) };
    }

    it('asks before unsaved changes are left by a link, the back button or a reload', async () => {
      const { page, complaints } = await openNewAgent();
      const prompt = page.getByLabel('Prompt for all states');
      await prompt.fill('You book tables.');
      const leave = page.getByRole('alertdialog', { name: 'Leave without saving?' });
      await page.getByRole('link', { name: 'Calls', exact: true }).click();
      await leave.waitFor();
      expect(await faultsOfPage(page, 'agent-leave')).toEqual([]);
      await page.keyboard.press('Escape');
      await leave.waitFor({ state: 'detached' });
      await page.goBack();
      await leave.getByRole('button', { name: 'Stay here' }).click();
      expect(await prompt.inputValue()).toBe('You book tables.');
      const asked = page.waitForEvent('dialog');
      await page.close({ runBeforeUnload: true });
      const dialog = await asked;
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      await page.getByRole('link', { name: 'Calls', exact: true }).click();
      await leave.getByRole('button', { name: 'Leave without saving' }).click();
      await page.getByRole('heading', { name: 'Calls' }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('asks before the changes of a stored agent are left, and not after they are saved', async () => {
      const { page } = await openNewAgent();
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('status').getByText('Created: version 1 is active.').waitFor();
      await page.getByLabel('First message').fill('Good day.');
      await page.getByRole('status').getByText('Unsaved changes').waitFor();
      await page.getByRole('link', { name: '← Agents' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Stay here' }).click();
      for (const [language, status] of [
        ['fr', 'Modifications non enregistrées'],
        ['es', 'Cambios sin guardar'],
        ['de', 'Ungespeicherte Änderungen'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.getByRole('status').getByText(status).waitFor();
      }
      expect(await faultsOfPage(page, 'agent-german')).toEqual([]);
      await page.locator('.preferences select').last().selectOption('en');
      await page.getByRole('button', { name: 'Versions' }).click();
      const versions = page.getByRole('region', { name: 'Versions', exact: true });
      await versions.getByText('shown here').waitFor();
      // There is nothing to do with a single version.
      expect(await versions.getByRole('columnheader', { name: 'Actions' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('status').getByText('Published: version 2 is active.').waitFor();
      expect(await page.getByLabel('First message').inputValue()).toBe('Good day.');
      await page.getByLabel('First message').fill('Good evening.');
      await versions.getByRole('button', { name: 'Roll back to version 1' }).click();
      const question = page.getByRole('alertdialog', { name: /Unsaved changes on this page are lost/ });
      await question.getByRole('button', { name: 'Cancel' }).click();
      await page.getByLabel('First message').fill('Good day.');
      await page.getByRole('link', { name: '← Agents' }).click();
      await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
    });

    it('says in the language of the page what became of a rollback and of a change on an older version', async () => {
      const { page } = await openNewAgent();
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('status').getByText('Created: version 1 is active.').waitFor();
      const path = `/v1/agents/${page.url().slice(-36)}`;
      await page.getByLabel('First message').fill('Good day.');
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('status').getByText('Published: version 2 is active.').waitFor();
      await page.getByLabel('First message').fill('Good evening.');
      await page.getByRole('button', { name: 'Save as draft' }).click();
      await page.getByRole('status').getByText('Saved as a draft: version 3.').waitFor();
      await page.locator('.preferences select').last().selectOption('de');
      await page.getByRole('button', { name: 'Versionen' }).click();
      const versions = page.getByRole('region', { name: 'Versionen', exact: true });
      await versions.getByRole('button', { name: 'Version 1 wiederherstellen' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Version 1 wiederherstellen' }).click();
      await page.getByRole('status').getByText('Version 1 ist aktiv').waitFor();
      // As from a second tab.
      await test.api.requestOk(anyAgent, 'PATCH', path, { initial_message: 'Good night.' });
      await page.getByLabel('Erste Nachricht').fill('Good morning.');
      await page.getByRole('button', { name: 'Veröffentlichen', exact: true }).click();
      await page.getByRole('alert').getByText('Nicht gespeichert: Nachdem Sie den Agenten').waitFor();
      expect(await page.getByLabel('Erste Nachricht').inputValue()).toBe('Good morning.');
    });

    it('shows the active version if the address names none that can be', async () => {
      const { id } = await test.api.createAgent(talker({ name: 'Desk' }));
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.goto(`${test.service.httpUrl}/console/#/agents/${id}?version=abc`);
      await page.getByRole('heading', { name: 'Desk', level: 1 }).waitFor();
    });

    it('says that the active version was rolled back, and puts the focus there', async () => {
      const { page } = await openNewAgent();
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('status').getByText('Created: version 1 is active.').waitFor();
      await page.getByLabel('First message').fill('Good day.');
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      const published = page.getByRole('status').getByText('Published: version 2 is active.');
      await published.waitFor();
      await page.getByRole('button', { name: 'Versions' }).click();
      await page.getByRole('button', { name: 'Roll back to version 1' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to version 1' }).click();
      const done = page.getByRole('status').getByText('Published: version 1 is active.');
      await done.waitFor();
      await expect.poll(() => done.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      await expect.poll(() => page.getByLabel('First message').inputValue()).not.toBe('Good day.');
      expect(await done.count()).toBe(1);
      expect(await published.count()).toBe(0);
      expect(await faultsOfPage(page, 'rolled-back')).toEqual([]);
      // Another version is active: the notice is over.
      await page.getByLabel('First message').fill('Good night.');
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('status').getByText('Published: version 3 is active.').waitFor();
      expect(await done.count()).toBe(0);
    });

    it('says in the language of the page that the service cannot be reached, and publishes once it can', async () => {
      const { page } = await openNewAgent();
      await page.locator('.preferences select').last().selectOption('de');
      const create = page.getByRole('button', { name: 'Agent anlegen' });
      await create.waitFor();
      await page.context().setOffline(true);
      await create.click();
      await page.getByRole('alert').getByText('Der Dienst ist nicht erreichbar.').waitFor();
      await page.context().setOffline(false);
      await create.click();
      await page.getByRole('status').getByText('Version 1 ist aktiv').waitFor();
    });

    it('shows the whole condition of a transition that passes a state', async () => {
      const { page } = await openNewAgent();
      await page.getByRole('tab', { name: 'JSON' }).click();
      const editor = page.getByRole('textbox', { name: 'Agent as JSON' });
      await editor.waitFor();
      const written = z.looseObject({ states: z.array(z.looseObject({})) }).parse(JSON.parse(NEW_AGENT));
      const to = (destination_state_name: string, condition: string) => ({ destination_state_name, condition });
      const transitions = [to('goodbye', 'The user wants to end the call.'), to('booking', 'The user wants a table.')];
      const booking = { name: 'booking', prompt: 'Book.', transitions: [to('goodbye', 'The table is booked.')] };
      const [greeting, goodbye] = written.states;
      await editor.fill(
        JSON.stringify({ ...written, states: [{ ...greeting, transitions }, booking, goodbye] }, null, 2),
      );
      await page.locator('.state-node', { hasText: 'booking' }).waitFor();
      await page.locator('.react-flow__edge-text', { hasText: 'The user wants to end the ca…' }).waitFor();
      await expect.poll(() => hiddenLabels(page)).toBe(0);
    });

    it('edits the request of a tool, and keeps the state that is edited when the agent is created', async () => {
      const { page, complaints, findings } = await openNewAgent();
      await page.getByRole('button', { name: 'Add state' }).click();
      await page.getByRole('heading', { name: 'State “state”' }).waitFor();
      await page.getByLabel('Name of the state').fill('booking');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'State “booking”' }).waitFor();
      const before = await placeInPage(page);
      await page.getByRole('button', { name: 'Add tool' }).click();
      const tool = page.getByRole('group', { name: 'http_request' });
      await findings.getByText('Required: still empty.').waitFor();
      // Findings come and go in a place of their own.
      expect(await placeInPage(page)).toBe(before);
      await page.getByLabel('State', { exact: true }).selectOption('greeting');
      await findings.getByRole('button', { name: 'State “booking”, tool “http_request”, URL' }).click();
      await tool.getByLabel('URL', { exact: true }).fill('https://example.com/tables');
      await tool.getByLabel('Method').selectOption('POST');
      await tool.getByLabel('Parameters are sent as').selectOption('json');
      await tool.getByRole('button', { name: 'Add parameter' }).click();
      await tool.getByLabel('Parameter 1: Name').fill('time');
      await tool.getByLabel('Parameter 1: Type').selectOption('datetime');
      await tool.getByLabel('Parameter 1: Description').fill('When the table is wanted.');
      await findings.getByText('Required').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('status').getByText('Created: version 1 is active.').waitFor();
      await page.getByRole('heading', { name: 'State “booking”' }).waitFor();
      // Warnings of the service, in the page of the created agent.
      await findings.getByText('no transition leads to this state').waitFor();
      const created = await test.api.requestOk(anyAgent, 'GET', `/v1/agents/${page.url().slice(-36)}`);
      const parameters = [{ name: 'time', type: 'datetime', description: 'When the table is wanted.' }];
      expect(created).toMatchObject({
        states: [{}, {}, { tools: [{ name: 'http_request', method: 'POST', content_type: 'json', parameters }] }],
      });
      await tool.scrollIntoViewIfNeeded();
      expect(await faultsOfPage(page, 'agent-tool')).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('shows parameters with a source of their own and the number of headers', async () => {
      const { page } = await openNewAgent();
      await page.getByRole('tab', { name: 'JSON' }).click();
      const editor = page.getByRole('textbox', { name: 'Agent as JSON' });
      await editor.waitFor();
      const written = z.looseObject({ states: z.array(z.looseObject({})) }).parse(JSON.parse(NEW_AGENT));
      const parameters = [{ name: 'caller', value: { source: 'variable', variable: 'from_number' } }];
      const headers = [{ name: 'X-Desk', value: '1' }];
      const tool = { type: 'custom_function', name: 'look_up', url: 'https://example.com', parameters, headers };
      const [greeting, goodbye] = written.states;
      await editor.fill(JSON.stringify({ ...written, states: [{ ...greeting, tools: [tool] }, goodbye] }, null, 2));
      const form = page.getByRole('group', { name: 'look_up' });
      await form.getByText('caller: value of the variable “from_number”, in the JSON').waitFor();
      await form.getByText('1 header, in the JSON').waitFor();
      await form.getByRole('button', { name: 'Remove parameter caller' }).click();
      await form.getByText('caller').waitFor({ state: 'detached' });
    });

    it('puts the cursor into the condition of a transition that is drawn, and keeps the drawing in view', async () => {
      const { page } = await openNewAgent();
      await page.getByRole('button', { name: 'Add state' }).click();
      const handle = page.locator('.react-flow__node[data-id="goodbye"] .react-flow__handle-bottom');
      await handle.scrollIntoViewIfNeeded();
      const from = await boxOf(page, '.react-flow__node[data-id="goodbye"] .react-flow__handle-bottom');
      expect(Math.min(from.width, from.height)).toBeGreaterThanOrEqual(HANDLE_PX_MIN);
      const to = await boxOf(page, '.react-flow__node[data-id="state"] .react-flow__handle-top');
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 10 });
      await page.mouse.up();
      const condition = page.getByLabel('Condition 1');
      await page.getByRole('heading', { name: 'State “goodbye”' }).waitFor();
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Condition 1');
      await page.keyboard.type('Another table.');
      expect(await condition.inputValue()).toBe('Another table.');
      // The new transition moves the state below: the drawing is centred again.
      await expect.poll(() => offCentre(page)).toBeLessThan(2);
      expect(await faultsOfPage(page, 'agent-graph')).toEqual([]);
    });

    it('keeps a letter of the JSON that is written right behind the rendering of the one before it', async () => {
      const { page, complaints } = await openNewAgent();
      await page.getByRole('tab', { name: 'JSON' }).click();
      const line = page.locator('.cm-line', { hasText: '"name": "New agent' });
      await line.click();
      // While the JSON is half typed, the drawing stays: its layout would run the passive effects with the rendering.
      await page.keyboard.press('End');
      await page.keyboard.type('x');
      for (let count = 0; count < 'x,"'.length; count++) await page.keyboard.press('ArrowLeft');
      await page.getByText(/The JSON has an error in line \d+, column \d+/).waitFor();
      await page.evaluate(WRITE_BEHIND_RENDERING);
      await expect.poll(() => page.evaluate('window.isWritten')).toBe(true);
      await page.getByRole('tab', { name: 'Fields' }).click();
      await page.getByRole('tab', { name: 'JSON' }).click();
      expect(await line.innerText()).toBe('  "name": "New agentAB",x');
      expect(complaints).toEqual([]);
    });

    it('checks a stored agent when it is opened, and says why a document with an error is not compared', async () => {
      const { id } = await test.api.createAgent(talker({ name: 'Dead end' }));
      const { page } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.goto(`${test.service.httpUrl}/console/#/agents/${id}`);
      await page.getByRole('region', { name: 'Findings' }).getByText('no transition').waitFor();
      const shade = () => page.evaluate("getComputedStyle(document.querySelector('.button-main')).backgroundColor");
      const disabled = await shade();
      await page.getByRole('button', { name: 'Publish', exact: true }).hover({ force: true });
      expect(await shade()).toBe(disabled);
      await page.getByRole('button', { name: 'Versions' }).click();
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'Agent as JSON' }).fill('{ "name": ');
      const versions = page.getByRole('region', { name: 'Versions', exact: true });
      await versions.getByText('The JSON of the agent has an error.').waitFor();
    });

    it('completes and explains nested JSON, and keeps the drawing while it is half typed', async () => {
      const { page, complaints, findings } = await openNewAgent();
      await page.getByRole('button', { name: 'Add tool' }).click();
      // Before the first key: the service needs a second for it.
      const described = page.waitForRequest('**/openapi.json');
      await page.getByRole('tab', { name: 'JSON' }).click();
      await described;
      const line = page.locator('.cm-line', { hasText: '"method": "GET"' });
      await line.click();
      await page.keyboard.press('End');
      await page.keyboard.type(',\n"p');
      const offered = page.locator('.cm-tooltip-autocomplete');
      await offered.getByText('parameters', { exact: true }).waitFor();
      await page.locator('.cm-completionInfo').waitFor();
      await findings.getByText(/The JSON has an error in line \d+, column \d+/).waitFor();
      await page.locator('.state-node', { hasText: 'greeting' }).waitFor();
      expect(await faultsOfPage(page, 'agent-completion')).toEqual([]);
      await page.keyboard.press('Enter');
      await page.keyboard.type('[{');
      await page.keyboard.press('Control+Space');
      await offered.getByText('description', { exact: true }).waitFor();
      await page.keyboard.type('"name": "time", "required": true');
      await findings.getByText(/Unknown field\. Allowed here: .*type/).waitFor();
      await page.locator('.cm-line', { hasText: '"base_prompt"' }).getByText('"base_prompt"').hover();
      await page.locator('.field-help').waitFor();
      expect(complaints).toEqual([]);
    });
  });
}

/**
 * Writes an `A` as an input method does, outside of a key event, and a `B` once the page shows the new place of the fault: between the
 * commit of that rendering and its passive effects. A clock that leaps lets React's scheduler end each task after one piece of work,
 * as it does while a large agent is rendered.
 */
const WRITE_BEHIND_RENDERING = `
  let leap = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() + (leap += 50);
  const fault = document.querySelector('.finding-fault');
  const before = fault.innerText;
  const observer = new MutationObserver(() => {
    if (fault.innerText === before) return;
    observer.disconnect();
    document.execCommand('insertText', false, 'B');
    window.isWritten = true;
  });
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  document.execCommand('insertText', false, 'A');
`;

/** Where the form of a state begins, px from the top of the page. */
async function placeInPage(page: Page): Promise<number> {
  return z
    .number()
    .parse(await page.evaluate("document.querySelector('.state-form input').getBoundingClientRect().top + scrollY"));
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not drawn`);
  return box;
}

/** Conditions that a state covers, or that are outside of the view. */
async function hiddenLabels(page: Page): Promise<number> {
  const view = await boxOf(page, '.graph');
  const boxes = async (selector: string) =>
    (await Promise.all((await page.locator(selector).all()).map((drawn) => drawn.boundingBox()))).filter(
      (box) => box !== null,
    );
  const nodes = await boxes('.react-flow__node');
  const labels = await boxes('.react-flow__edge-text');
  return labels.filter(
    ({ x, y, width, height }) =>
      x < view.x ||
      x + width > view.x + view.width ||
      nodes.some(
        (node) => x < node.x + node.width && x + width > node.x && y < node.y + node.height && y + height > node.y,
      ),
  ).length;
}

/** Distance between the middles of the drawing and of its view, px. */
async function offCentre(page: Page): Promise<number> {
  const view = await boxOf(page, '.graph');
  const nodes = await page.locator('.react-flow__node').all();
  const boxes = await Promise.all(nodes.map((node) => node.boundingBox()));
  const drawn = boxes.filter((box) => box !== null);
  const left = Math.min(...drawn.map(({ x }) => x));
  const right = Math.max(...drawn.map(({ x, width }) => x + width));
  return Math.abs((left + right) / 2 - (view.x + view.width / 2));
}
