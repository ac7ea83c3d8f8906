import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { NEW_AGENT } from '../../../console/src/agents/document/agent-document.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import type { ChatBody } from '../../providers/openai/chat-emulator.ts';
import { type ChatAnswer, textAnswer } from '../../providers/openai/chat-script.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { dialIn, talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { describeAgentEditor } from './agent-editor.ts';
import { describeAgentForms } from './agent-forms.ts';
import { describeAgentPages } from './agent-pages.ts';
import { describeAgentTests } from './agent-tests.ts';
import { describeAnalyticsPages } from './analytics-pages.ts';
import { describeCallPage } from './call-page.ts';
import { buildConsole, type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';
import { describeFailedReads } from './failed-reads.ts';
import { describeHeldKeys } from './held-keys.ts';
import { describeHostileTexts } from './hostile-texts.ts';
import { describeLongCall } from './long-call.ts';
import { describeMissingScripts } from './missing-scripts.ts';
import { describeOperatorPages } from './operator-pages.ts';
import { describeRunningList } from './running-list.ts';
import { describeStoredList } from './stored-list.ts';
import { describeTalkPages } from './talk-pages.ts';

/** Compressed bytes that a browser loads before the list of calls is shown. */
const FIRST_LOAD_BYTES_MAX = 350_000;
/** Each would set `window.intruded` if a page took it for HTML. */
const SCRIPT_IN_SPEECH = '<img src=x onerror="window.intruded=1"> <script>window.intruded=2</script> two seats please';
const SCRIPT_IN_NAME = '"><svg onload=window.intruded=3>';
const anyAgent = z.looseObject({ version: z.number() });
const ANSWER = 'A table for two is free at eight. Shall I book it for you?';
const QUESTION = 'What was it about?';
const POST_CALL_ANSWER = 'A table for two.';
/** The answers to the post-call questions come when the page has shown the end of the call. */
const POST_CALL_DELAY_MS = 2_000;

function chat({ response_format: format }: ChatBody): ChatAnswer {
  if (format?.type !== 'json_schema') return textAnswer(ANSWER);
  return textAnswer(JSON.stringify({ q1: POST_CALL_ANSWER }), { firstTokenMs: POST_CALL_DELAY_MS });
}

beforeAll(async () => {
  if (hasPeer('chromium')) await buildConsole();
});

describeOperatorPages();
describeHostileTexts();
describeHeldKeys();
describeMissingScripts();
describeAnalyticsPages();
describeTalkPages();
describeAgentEditor();
describeAgentPages();
describeAgentForms();
describeAgentTests();
describeLongCall();
describeCallPage();
describeRunningList();
describeStoredList();
describeFailedReads();

describe.skipIf(!hasPeer('chromium'))('the console in a browser', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let browser: ConsoleBrowser;
  let agentId: string;
  let endedId: string;

  beforeAll(async () => {
    providers = await startEmulatedProviders({
      listen: { steps: heardLine(SCRIPT_IN_SPEECH, 2_200, 3_400) },
      chat,
    });
    test = await startTestService(providers.environment);
    const states = [{ name: SCRIPT_IN_NAME, prompt: 'Talk.' }];
    const agent = talker({
      name: SCRIPT_IN_NAME,
      initial_message: 'Good day.',
      states,
      initial_state_name: SCRIPT_IN_NAME,
    });
    agentId = (await test.api.createAgent(agent)).id;
    const call = await dialIn(test, agentId);
    await call.said(ANSWER);
    await call.hangUp();
    await test.api.callIn(call.callId, ['completed']);
    endedId = call.callId;
    browser = await startConsoleBrowser(test.service.httpUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await test?.close();
    await providers?.close();
  });

  it('refuses an unknown key, takes a known one, and keeps it in this tab only', async () => {
    const { page, complaints } = await browser.open();
    expect(await faultsOfPage(page, 'sign-in')).toEqual([]);
    // No header takes it.
    await page.getByLabel('API key').fill('€');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This API key was refused').waitFor();
    await page.getByLabel('API key').fill('x'.repeat(40));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('unknown or revoked').waitFor();
    await signIn(page, `\u00A0${TEST_API_KEY}\u00A0`);
    expect(page.url()).not.toContain(TEST_API_KEY);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(TEST_API_KEY);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('button', { name: /^API key/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out of this key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(TEST_API_KEY);
    // The browser logs the answer to the wrong key.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('lists calls with masked numbers, in four languages, within the size of the first load', async () => {
    const { page, complaints } = await browser.open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await signIn(page, TEST_API_KEY);
    await page.getByRole('cell', { name: '+33•••••••89' }).waitFor();
    await page.getByRole('cell', { name: 'Completed' }).first().waitFor();
    await page.getByRole('cell', { name: SCRIPT_IN_NAME }).first().waitFor();
    // Their names alone, without the configurations.
    expect(asked.filter((url) => /\/v1\/agents(\?|$)/.test(url))).toEqual([]);
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

  it('follows the playhead on a zoomed time axis, and shows the current page in the menu of a narrow window', async () => {
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    await page.goto(`${test.service.httpUrl}/console/#/calls/${endedId}`);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.getByLabel('Zoom').selectOption('60');
    await page.setViewportSize({ width: 390, height: 844 });
    const scrolled = (place: string) => page.evaluate(`document.querySelector('${place}').scrollLeft`);
    expect(await scrolled('.axis-scroll')).toBe(0);
    await page
      .getByRole('region', { name: 'Transcript' })
      .getByRole('button', { name: /^Play from/ })
      .last()
      .click();
    await vi.waitFor(async () => expect(await scrolled('.axis-scroll')).toBeGreaterThan(0), 5_000);
    const isPlayheadVisible = `(() => {
      const cursor = document.querySelector('.cursor').getBoundingClientRect();
      const view = document.querySelector('.axis-scroll').getBoundingClientRect();
      return cursor.width >= 2 && cursor.left >= view.left && cursor.right <= view.right;
    })()`;
    expect(await page.evaluate(isPlayheadVisible)).toBe(true);
    await page.goto(`${test.service.httpUrl}/console/#/checks`);
    await page.getByRole('heading', { name: 'Checks', level: 1 }).waitFor();
    await vi.waitFor(async () => expect(await scrolled('.side nav')).toBeGreaterThan(100), 5_000);
    expect(complaints).toEqual([]);
  });

  it('shows each cell of its lists in the width of a narrow window, and why a cell has no value', async () => {
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    await page.setViewportSize({ width: 390, height: 844 });
    const cutCells = `[...document.querySelectorAll('td')].filter((cell) => cell.getBoundingClientRect().right > innerWidth)
      .map(({ textContent }) => textContent)`;
    const place = (path: string) => page.goto(`${test.service.httpUrl}/console/#${path}`);
    await page.getByRole('columnheader', { name: 'Response, median / slowest' }).waitFor();
    expect(await page.evaluate(cutCells)).toEqual([]);
    await place(`/calls/${endedId}`);
    await page.getByRole('region', { name: 'Usage and cost' }).getByText('no price', { exact: true }).first().waitFor();
    await page.getByText('The caller hung up').waitFor();
    expect(await page.evaluate(cutCells)).toEqual([]);
    await place('/settings');
    await page.getByText('DATA_DIR', { exact: true }).waitFor();
    expect(await page.evaluate(cutCells)).toEqual([]);
    // The page scrolls, not a box in it.
    const scrolledBoxes = `[...document.querySelectorAll('.table-scroll')]
      .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1).length`;
    expect(await page.evaluate(scrolledBoxes)).toBe(0);
    await place('/keys');
    await page.getByText('from the environment').first().waitFor();
    expect(await page.evaluate(cutCells)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows an ended call: waveform, heard words, stages of each turn, SIP messages, and no script of a speaker', async () => {
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    // By keyboard alone: the first call of the list.
    await page.getByRole('cell', { name: '+33•••••••89' }).waitFor();
    const link = page.getByRole('row').nth(1).getByRole('link');
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/#/calls/${endedId}`);
    await page.getByText('two seats please').waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.getByText('200 OK').first().waitFor();
    await page.getByLabel('Response time of each turn').getByText('Endpointing').first().waitFor();
    await page.locator('.words', { hasText: 'seats' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('region', { name: 'Why was it silent?' }).waitFor();
    await page.getByRole('img', { name: /^Network, from the user: MOS/ }).waitFor();
    await page.getByRole('img', { name: /^Network, from the user: Loss ≤ 0/ }).waitFor();
    const costs = page.getByRole('region', { name: 'Usage and cost' });
    await costs.getByRole('rowheader', { name: /^deepgram \(transcriber\)/ }).waitFor();
    await page.getByRole('link', { name: `${SCRIPT_IN_NAME} v1` }).waitFor();
    const path = page.getByRole('region', { name: 'States of the call' });
    await path.getByText(SCRIPT_IN_NAME).waitFor();
    await path
      .getByRole('button', { name: /^Go to/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await path.getByRole('button', { name: 'On the graph' }).click();
    await path.locator('.state-node-visited', { hasText: SCRIPT_IN_NAME }).waitFor();
    expect(await page.evaluate('window.intruded')).toBeUndefined();
    // Before axe, which copies the style of the waveform into another style element.
    expect(complaints).toEqual([]);
    expect(await faultsOfPage(page, 'call')).toEqual([]);
  });

  it('follows a running call, speaks through its agent, terminates it, and shows what follows its end', async () => {
    const path = `/v1/agents/${agentId}/post-call-questions`;
    await test.api.requestOk(z.array(z.unknown()), 'POST', path, { questions: [{ name: QUESTION, type: 'text' }] });
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    const call = await dialIn(test, agentId);
    await page.getByRole('link', { name: 'Running' }).click();
    const row = page.getByRole('row').nth(1);
    await row.getByText('Agent speaks').waitFor();
    // The answer to the first user turn has a response time.
    await row.getByText(/ ms$| s$/).waitFor();
    await row.getByText(SCRIPT_IN_NAME).first().waitFor();
    expect(await faultsOfPage(page, 'running-calls')).toEqual([]);
    await row.getByRole('link').click();
    await page.waitForURL(`**/console/#/calls/${call.callId}`);
    await page.getByText('In progress').waitFor();
    // A text that the user interrupts before its first word is not said again.
    await call.said(ANSWER);
    await page.getByLabel('Make the agent say').fill('A colleague joins us.');
    await page.getByRole('button', { name: 'Send' }).first().click();
    await page.getByLabel('Transcript').getByText('A colleague joins us.').waitFor();
    for (const [language, done] of [
      ['de', 'Der Agent sagt es, sobald er kann.'],
      ['fr', 'L’agent le dira dès que possible.'],
      ['es', 'El agente lo dirá en cuanto pueda.'],
      ['en', 'The agent says it as soon as it can.'],
    ] as const) {
      await page.locator('.preferences select').last().selectOption(language);
      await page.getByRole('status').getByText(done).waitFor();
    }
    await page.getByLabel('Transfer to').fill('the desk');
    await page.getByRole('button', { name: 'Transfer' }).click();
    await page.getByRole('alert').getByText('destination').waitFor();
    expect(await faultsOfPage(page, 'running-call')).toEqual([]);
    await page.getByRole('button', { name: 'Terminate' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Terminate' }).click();
    await page.getByText('Ended over the API').waitFor();
    await call.hangUp();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.getByText(POST_CALL_ANSWER).waitFor();
    expect(await page.evaluate('window.intruded')).toBeUndefined();
    // The browser logs the response to the invalid destination.
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });

  it('draws the states of an agent, marks a fault in its document, and stores and creates agents', async () => {
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: SCRIPT_IN_NAME }).waitFor();
    expect(await faultsOfPage(page, 'agents')).toEqual([]);
    await page.getByRole('link', { name: 'New agent' }).click();
    await page.locator('.state-node', { hasText: 'goodbye' }).waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByRole('textbox', { name: 'Agent as JSON' });
    await editor.waitFor();
    const written = JSON.parse(NEW_AGENT);
    const unknownState = { ...written, initial_state_name: 'nowhere' };
    await editor.fill(JSON.stringify(unknownState, null, 2));
    // The page knows before the service is asked.
    const finding = page.getByRole('region', { name: 'Findings' }).getByText('no state has this name');
    await finding.waitFor();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('alert').getByText('Not saved').waitFor();
    expect(await finding.count()).toBe(1);
    await editor.fill(JSON.stringify({ ...written, name: 'Front desk' }, null, 2));
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('heading', { name: 'Front desk' }).waitFor();
    await page.locator('.react-flow__edge-text').first().waitFor();
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    expect(await faultsOfPage(page, 'agent')).toEqual([]);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await editor.fill(JSON.stringify({ ...written, name: 'Night desk' }, null, 2));
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { name: 'Night desk' }).waitFor();
    expect(await page.evaluate('window.intruded')).toBeUndefined();
  });

  it('builds an agent with fields and graph alone, by keyboard, and shows findings on the state', async () => {
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    await page.goto(`${test.service.httpUrl}/console/#/agents/new`);
    await page.getByLabel('First message').fill('Good evening.');
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    await press('Add state');
    await page.getByLabel('Name of the state').fill('booking');
    await page.keyboard.press('Enter');
    await press('Add transition');
    await page.getByLabel('Leads to 1').selectOption('goodbye');
    const node = page.locator('.state-node', { hasText: 'booking' });
    await node.getByText('⚠').waitFor();
    await page.getByLabel('Condition 1').fill(SCRIPT_IN_SPEECH);
    await page.getByLabel('Kind of tool').selectOption('transfer_call');
    await press('Add tool');
    const tool = page.getByRole('group', { name: 'transfer_call' });
    await tool.getByLabel('Destination').fill('+4930123456');
    await tool.getByLabel('When to use it').fill('A colleague helps.');
    await page.getByLabel('State', { exact: true }).selectOption('greeting');
    await press('Add transition');
    await page.getByLabel('Leads to 2').selectOption('booking');
    await page.getByLabel('Condition 2').fill('A table is wanted.');
    await node.getByText('⚠').waitFor({ state: 'detached' });
    expect(await faultsOfPage(page, 'agent-editing')).toEqual([]);
    await press('Create agent');
    await page.waitForURL(/agents\/[0-9a-f-]{36}$/);
    const id = page.url().slice(-36);
    expect(await test.api.requestOk(anyAgent, 'GET', `/v1/agents/${id}`)).toMatchObject({
      initial_message: 'Good evening.',
      states: [
        { name: 'greeting', transitions: [{}, { condition: 'A table is wanted.', destination_state_name: 'booking' }] },
        { name: 'goodbye' },
        { name: 'booking', tools: [{ type: 'transfer_call', destination: '+4930123456' }] },
      ],
    });
    expect(await page.evaluate('window.intruded')).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  it('keeps a draft, shows what it changes, publishes it, and rolls back', async () => {
    const written = talker({ name: SCRIPT_IN_NAME });
    const { id } = await test.api.createAgent({ ...written, base_prompt: 'Be brief.' });
    const { page, complaints } = await browser.open();
    await signIn(page, TEST_API_KEY);
    await page.goto(`${test.service.httpUrl}/console/#/agents/${id}`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByRole('textbox', { name: 'Agent as JSON' });
    await editor.fill(JSON.stringify({ ...written, initial_message: SCRIPT_IN_SPEECH }, null, 2));
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.waitForURL('**?version=2');
    await page.getByRole('button', { name: 'Versions' }).click();
    const versions = page.getByRole('region', { name: 'Versions', exact: true });
    const changes = versions.getByRole('list', { name: 'What changed' });
    await changes.getByText('initial_message').waitFor();
    // A field that was deleted from the document is reset.
    await changes.locator('del', { hasText: 'Be brief.' }).waitFor();
    expect(await faultsOfPage(page, 'versions')).toEqual([]);
    const deployed = () => test.api.requestOk(anyAgent, 'GET', `/v1/agents/${id}`);
    expect(await deployed()).toMatchObject({ version: 1, base_prompt: 'Be brief.' });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await versions
      .getByRole('row', { name: /Version 2/ })
      .getByText('active')
      .waitFor();
    expect(await deployed()).toMatchObject({ version: 2, base_prompt: '' });
    await versions.getByRole('button', { name: 'Roll back to version 1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to version 1' }).click();
    await versions
      .getByRole('row', { name: /Version 1/ })
      .getByText('active')
      .waitFor();
    expect(await deployed()).toMatchObject({ version: 1 });
    expect(await page.evaluate('window.intruded')).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});
